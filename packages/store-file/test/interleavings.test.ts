import { describe, expect, it } from 'vitest';
import { type ExplorerOptions, explore } from './support/explorer.js';
import { type Mutation, mutant, STORE } from './support/mutant.js';
import { tempDir } from './support/temp-dir.js';

const isDeep = process.env.DEEP === '1';
const SEED = Number(process.env.SEED ?? 1);

describe('two clients', () => {
  it('lose no acknowledged save, wherever one stands still while the other acts', {
    timeout: 900_000,
  }, async () => {
    const { runs, preemptions, acknowledged, violations } = await explore({
      module: STORE,
      dir: `${tempDir()}/store`,
      seed: SEED,
      runs: isDeep ? 15_000 : 500,
    });
    console.log(
      `interleavings: ${runs} runs, ${preemptions} pre-emptions, ${acknowledged} saves, seed ${SEED}`,
    );
    expect(violations).toEqual([]);
    expect(preemptions).toBeGreaterThan(runs / 5);
  });
});

interface Mutant {
  readonly name: string;
  readonly mutations: readonly Mutation[];
  readonly focus?: Pick<ExplorerOptions, 'acts' | 'interferences'>;
}

const COMPACTING = { acts: ['takeCompactSave', 'compact'] };

const MUTANTS: readonly Mutant[] = [
  {
    name: 'an append counts wherever it lands',
    mutations: [
      {
        file: 'log-history.js',
        text: 'const isLostRace = at !== offset || g !== this.parts.generation;',
        becomes: 'const isLostRace = false;',
      },
      { file: 'log-history.js', text: 'if (pv !== this.#lastNonce) {', becomes: 'if (false) {' },
    ],
    focus: { acts: ['save', 'takeSave'], interferences: ['takeSave', 'takeSaveSave'] },
  },
  {
    name: 'the seal continues another history than the snapshot holds',
    mutations: [
      {
        file: 'compaction.js',
        text: 'log.append(sealEntry(candidate.nonce), basis)',
        becomes: 'log.append(sealEntry(candidate.nonce), (log.read(), log.basis))',
      },
    ],
    focus: { ...COMPACTING, interferences: ['takeSave', 'takeSaveSave'] },
  },
  {
    name: 'candidates of the next generation are cleaned away',
    mutations: [
      {
        file: 'log-site.js',
        text: 'if (name.generation <= own.generation)',
        becomes: 'if (name.generation <= own.generation + 1)',
      },
    ],
    focus: { ...COMPACTING, interferences: ['coldPeek'] },
  },
  {
    name: 'files are cleaned away by a listing of another incarnation',
    mutations: [
      {
        file: 'log-site.js',
        text: 'if (!listing?.logs.some(({ nonce }) => nonce === own.nonce))',
        becomes: 'if (!listing)',
      },
    ],
    focus: { acts: ['coldSave', 'takeCompactSave'], interferences: ['recreate'] },
  },
  {
    name: 'the log is switched without a seal',
    mutations: [
      {
        file: 'compaction.js',
        text: 'const isSealed = log.append(sealEntry(candidate.nonce), basis);',
        becomes: 'const isSealed = true;',
      },
    ],
    focus: { ...COMPACTING, interferences: ['takeSave', 'takeSaveSave'] },
  },
];

describe('the explorer', () => {
  it.each(MUTANTS)('sees that $name', { timeout: 120_000 }, async ({ mutations, focus }) => {
    const dir = tempDir();
    const { violations } = await explore({
      module: mutant(`${dir}/mutant`, mutations),
      dir: `${dir}/store`,
      seed: 1,
      runs: 1_500,
      untilFirst: true,
      ...focus,
    });
    expect(violations).toHaveLength(1);
  });
});
