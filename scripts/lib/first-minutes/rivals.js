/**
 * What others cost before the first line runs: packages, megabytes and import time of a durable agent's smallest set, measured in
 * November 2026 on Node 20 from a warm cache. OpenWorkflow 0.10, DBOS 5.3, LangGraph 1.7 with its SQLite saver, Mastra 1.
 */
export const RIVALS = [
  { name: 'OpenWorkflow', packages: 1, megabytes: 1, importMs: 27 },
  { name: 'DBOS', packages: 22, megabytes: 12, importMs: 150 },
  { name: 'LangGraph', packages: 60, megabytes: 96, importMs: 420 },
  { name: 'Mastra', packages: 167, megabytes: 159, importMs: 776 },
];
