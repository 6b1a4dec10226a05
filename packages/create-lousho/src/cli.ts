#!/usr/bin/env node
// Imports nothing before the check: what is behind it is written for newer versions of Node.
const OLDEST = '20.19.0';

if (process.versions.node.localeCompare(OLDEST, undefined, { numeric: true }) < 0) {
  console.error(`create-lousho needs Node ${OLDEST} or newer; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  const { main } = await import('./main.js');
  process.exitCode = await main(process.argv.slice(2));
}

export {};
