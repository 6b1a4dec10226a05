import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { fileStore } from '@lousho/store-file';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idOfName, nameOfId } from '../dist/file-names.js';
import { checkpoint } from './support/checkpoint.js';
import { faultFs } from './support/fault-fs.js';
import { tempDir } from './support/temp-dir.js';

const LETTERS = [...'ABCXYZabcxyz0129_-.'];
const id = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 240 }),
    fc.string({ unit: fc.constantFrom('A', 'a'), minLength: 1, maxLength: 240 }),
    fc.constantFrom(
      'con',
      'CON',
      'nul.txt',
      'aux',
      'com1',
      'LPT9.x',
      'prn',
      'com',
      'console',
      'Alice',
      'alice',
    ),
  )
  .filter((text) => !text.startsWith('.') && !text.endsWith('.'));

describe('file names', () => {
  it('differ for different ids even where case does not count', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        expect(nameOfId(a).toLowerCase() === nameOfId(b).toLowerCase()).toBe(a === b);
      }),
    );
  });

  it('are legal on every file system', () => {
    fc.assert(
      fc.property(id, (each) => {
        const name = nameOfId(each);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name).toMatch(/^[a-z0-9_.^=-]+$/);
        expect(name).not.toMatch(/^\.|[. ]$/);
        expect(name.split('.')[0]).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
      }),
    );
  });

  it('lead back to their id, or say that the log has it', () => {
    fc.assert(
      fc.property(id, (each) => {
        const found = idOfName(nameOfId(each));
        expect(found === 'hashed' ? nameOfId(each).length : found).toEqual(
          found === 'hashed' ? 200 : { id: each },
        );
      }),
    );
  });

  it('upper-case letters are a caret and the lower-case letter', () => {
    expect(nameOfId('Alice')).toBe('^alice');
  });

  it('ids that differ only in case, device names and the longest ids are records of their own', async () => {
    const store = fileStore(tempDir(), { fs: faultFs({ withoutSync: true }) });
    const ids = [
      'Job',
      'job',
      'con',
      'nul.x',
      'A'.repeat(240),
      'a'.repeat(240),
      `${'B'.repeat(239)}c`,
    ].sort();
    for (const [step, sessionId] of ids.entries()) {
      await store.checkpoints.save(sessionId, checkpoint({ sessionId, stepIndex: step }));
    }
    const listing = await store.checkpoints.list?.();
    expect(listing?.map((entry) => [entry.sessionId, entry.checkpoint.stepIndex])).toEqual(
      ids.map((sessionId, step) => [sessionId, step]),
    );
  });

  it('that the store did not make are no records', async () => {
    const dir = tempDir();
    const store = fileStore(dir, { fs: faultFs({ withoutSync: true }) });
    await store.checkpoints.save('r1', checkpoint({ sessionId: 'r1' }));
    for (const name of ['.new-0123', 'Upper', 'a^', '^_plain', 'x y'])
      mkdirSync(`${dir}/checkpoints/${name}`);
    writeFileSync(`${dir}/checkpoints/file`, 'x');
    writeFileSync(`${dir}/checkpoints/r1/1.${'0'.repeat(16)}.cand`, 'half a candidate');
    writeFileSync(`${dir}/checkpoints/r1/.DS_Store`, 'x');
    const listing = await store.checkpoints.list?.();
    expect(listing?.map(({ sessionId }) => sessionId)).toEqual(['r1']);
    expect(readdirSync(`${dir}/checkpoints/r1`)).toHaveLength(3);
  });
});
