import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Certificate } from '@lousho/conformance';
import { describe, expect, it, onTestFinished } from 'vitest';

const CLI = fileURLToPath(new URL('../../dist/front/cli.js', import.meta.url));
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function cli(args: readonly string[], env: Record<string, string | undefined> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CLI, ...args],
      { env: { ...process.env, CI: undefined, ...env } },
      (error, out, err) => {
        resolve({ code: error ? Number(error.code) : 0, out, err });
      },
    );
  });
}

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lousho-conformance-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('npx @lousho/conformance', () => {
  it('prints a table and ends with 0 when every promise was kept', async () => {
    const { code, out } = await cli([fixture('good'), '--seed', '5']);
    expect(out).toMatch(/LEASE +\d+ +\./);
    expect(out).toMatch(
      /good: (\d+) of \1 rules that apply are kept, \d+ of them under concurrency or a fault \(tier 0, seed 5/,
    );
    expect(out).toContain('Every promise that it makes was kept.');
    expect(code).toBe(0);
  });

  it('names the broken sentence, what was promised and seen, and how to replay it, and ends with 1', async () => {
    const { code, out } = await cli([fixture('forgetful'), '--rule', 'CHECKPOINT-05', '--seed', '9']);
    expect(out).toContain('FAILED   CHECKPOINT-05: After `delete`, `load` gives `null`.');
    expect(out).toMatch(/promised: a deleted id loads as: null\n {2}seen: {5}\{ sessionId: "refund-42"/);
    expect(out).toMatch(
      /replay: {3}npx @lousho\/conformance .*forgetful\.mjs --tier 0 --rule CHECKPOINT-05 --seed 9/,
    );
    expect(code).toBe(1);
  });

  it('writes a certificate and a page', async () => {
    const folder = tempFolder();
    const [json, html] = [join(folder, 'report.json'), join(folder, 'report.html')];
    await cli([fixture('forgetful'), '--rule', 'CHECKPOINT', '--report', json, '--report', html]);
    const certificate = JSON.parse(readFileSync(json, 'utf8')) as Certificate;
    expect(certificate).toMatchObject({ store: 'forgetful', claims: { fencing: 'atomic' }, tier: 0 });
    expect(certificate.counts.failed).toBeGreaterThan(0);
    expect(certificate.contract.digest).toMatch(/^[0-9a-f]{12}$/);
    const page = readFileSync(html, 'utf8');
    expect(page).toContain('<h3>CHECKPOINT-05</h3>');
    expect(page).toContain('After `delete`, `load` gives `null`.');
  });

  it('ends with 1 in CI when a rule could not run, and says why', async () => {
    const args = [fixture('no-clock'), '--rule', 'LEASE-06'];
    const { code, out } = await cli(args, { CI: 'true' });
    expect(out).toContain('because:  the harness does not let time be moved');
    expect(code).toBe(1);
    expect((await cli(args)).code).toBe(0);
  });

  it('ends once it has reported, whatever the store leaves open', async () => {
    const { code, out } = await cli([fixture('lingering'), '--rule', 'CHECKPOINT-05']);
    expect(out).toContain('Every promise that it makes was kept.');
    expect(code).toBe(0);
  });

  it.each([
    [[], 'the path of a harness module'],
    [['a.js', 'b.js'], 'one harness'],
    [['a.js', '--tier', '4'], '--tier 4'],
    [['a.js', '--seed'], 'a value behind --seed'],
    [['a.js', '--report', 'x.pdf'], '--report x.pdf'],
    [['a.js', '--skip', 'LEASE'], '--skip LEASE'],
    [[fixture('no-harness')], 'to export a ConformanceHarness'],
    [['./nowhere.js'], 'nowhere.js'],
  ])('ends with 2 for %j', async (args, says) => {
    const { code, err } = await cli(args);
    expect(err).toContain(says);
    expect(code).toBe(2);
  });

  it('explains itself', async () => {
    const { code, out } = await cli(['--help']);
    expect(out).toContain('--tier N');
    expect(code).toBe(0);
  });
});
