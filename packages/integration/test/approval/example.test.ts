import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const EXAMPLE = fileURLToPath(new URL('../../../../examples/dist/approval.js', import.meta.url));

describe('examples/approval.ts', () => {
  it('is asked in one process and decided days later in another, once', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE]);
    const said = stdout
      .split('\n')
      .flatMap((line) => /^ {2}process (\d+) {2}(.*)$/.exec(line)?.slice(1, 3) ?? []);
    const [asker, decider] = [said[0], said[2]];
    expect(decider).not.toBe(asker);
    expect(said.filter((_, index) => index % 2 === 1)).toEqual([
      'the run stops: awaiting-approval',
      expect.stringMatching(
        /^refund \{"amount":240,"order":7\}|refund \{"order":7,"amount":240\} waits since/,
      ),
      'refund pays 240 EUR, approved by ana ("photo seen")',
      'the run goes on: "Order 7 is refunded."',
      'a second click: LOUSHO_APPROVAL_NOT_FOUND',
    ]);
  });
});
