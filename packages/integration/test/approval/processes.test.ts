import { describe, expect, it } from 'vitest';
import { effectsIn, ended, startDecider, testFolder } from './support/decider-process.js';

const ROUNDS = process.env.DEEP === '1' ? 50 : 5;
const PROCESSES = 8;

describe.each(['file', 'sqlite'])('real processes on %s', (kind) => {
  it('A58 of 8 processes that resolve one approval at once one does, the others hear decided or busy', async () => {
    const folder = testFolder();
    const deciders = await Promise.all(Array.from({ length: PROCESSES }, () => startDecider(kind, folder)));
    const [first] = deciders;
    const approvals: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { approvalId = '' } = (await first?.ask(`send round-${round}`)) ?? {};
      approvals.push(approvalId);
      const answers = await Promise.all(deciders.map((decider) => decider.ask(`resolve ${approvalId}`)));
      expect(answers.filter(({ finishReason }) => finishReason === 'stop')).toHaveLength(1);
      for (const { code, detail } of answers.filter(({ finishReason }) => finishReason === undefined)) {
        expect(['LOUSHO_APPROVAL_NOT_FOUND', 'LOUSHO_SESSION_BUSY']).toContain(code);
        if (code === 'LOUSHO_APPROVAL_NOT_FOUND') expect(detail).toContain('already decided');
      }
    }
    expect(effectsIn(folder)).toEqual(approvals);
    expect(await first?.ask('list all')).toEqual({ listed: 0 });
  });

  it('A59 a process is killed in the approved tool, after its effect: one effect, an interrupted result, nobody is asked again', async () => {
    const folder = testFolder();
    const survivor = await startDecider(kind, folder);
    const approvals: string[] = [];
    for (let round = 0; round < 2; round++) {
      const victim = await startDecider(kind, folder, 'die');
      const { approvalId = '' } = await survivor.ask(`send round-${round}`);
      approvals.push(approvalId);
      await expect(victim.ask(`resolve ${approvalId}`)).rejects.toThrow(/ended/);
      expect(await ended(victim)).toBe('SIGKILL');

      expect(await survivor.ask('list all')).toEqual({ listed: 0 });
      expect(await survivor.ask(`resolve ${approvalId}`)).toMatchObject({
        code: 'LOUSHO_APPROVAL_NOT_FOUND',
      });
      const { messages = [] } = await survivor.ask(`resume round-${round}`);
      const results = messages.filter(({ role }) => role === 'tool');
      expect(results).toHaveLength(1);
      expect(JSON.parse(results[0]?.content ?? '')).toMatchObject({ kind: 'interrupted' });
    }
    expect(effectsIn(folder)).toEqual(approvals);
  });
});
