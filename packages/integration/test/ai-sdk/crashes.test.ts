import { type Agent, createAgent } from '@lousho/core';
import { type CrashScenario, type CrashWorld, exploreCrashes } from '@lousho/core/testing';
import { describe, expect, it } from 'vitest';
import { roles } from '../approval/support/results.js';
import { onFullStores } from '../harness/on-stores.js';
import { strideOn } from '../harness/stride.js';
import { TURNS, weather, weatherTools } from './support/weather.js';

const isDeep = process.env.DEEP === '1';

const UNDISTURBED =
  'system user assistant(call_0,call_1) tool(call_0) tool(call_1) assistant(call_0,call_1) tool(call_0) tool(call_1) ' +
  'assistant(call_0) tool(call_0) assistant user assistant(call_0) tool(call_0) assistant';

const streaming = (agent: Agent): Agent => ({
  ...agent,
  send: (input, options) => agent.stream(input, options).result,
});

describe.each(['generate', 'stream'] as const)(
  'a run of an AI SDK model, by %s, that dies at any operation',
  (mode) => {
    onFullStores((newStorage, kind) => {
      it('ends with the undisturbed transcript, repeats nothing, and no vendor refuses a request', async () => {
        const { server, provider } = await weather();
        const agentOf = (world: CrashWorld, store: Parameters<CrashScenario['createAgent']>[1]) =>
          createAgent({
            provider: world.provider(provider),
            tools: world.tools(weatherTools),
            store,
            instructions: 'Be brief.',
            ports: { logger: { warn: () => undefined } },
          });
        let at = 0;
        const report = await exploreCrashes(
          {
            sessionId: 'journey',
            turns: TURNS,
            openStorage: async () => {
              const { open } = newStorage();
              return { openStore: async () => open(), dispose: async () => undefined };
            },
            createAgent: (world, store) =>
              mode === 'stream' ? streaming(agentOf(world, store)) : agentOf(world, store),
          },
          { pick: () => at++ % strideOn(kind, 7) === 0 },
        );
        expect(report.findings).toEqual([]);
        expect([report.repeatedModelCalls, report.repeatedTools]).toEqual([0, 0]);
        expect(server.refusals).toEqual([]);
        expect(roles(report.messages)).toBe(UNDISTURBED);
        const models = report.operations.filter((operation) => operation.kind === 'model');
        expect(models).toEqual(Array(6).fill({ kind: 'model', name: mode }));
        expect(server.requests.every(({ stream = false }) => stream === (mode === 'stream'))).toBe(true);
        expect(server.requests.length).toBeGreaterThan(report.crashPoints);
        if (isDeep)
          console.log(
            `${kind}, ${mode}: ${report.operations.length} operations, ${report.crashPoints} points, ${server.requests.length} requests`,
          );
      });
    });
  },
);
