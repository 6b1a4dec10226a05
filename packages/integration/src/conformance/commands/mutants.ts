import { parseArgs } from 'node:util';
import { CASES, type Case } from '../mutants/cases.js';

/**
 * `mutants [--only NAME] [--seed N]`: breaks the stores and the executor in every known way, and says which rule or fault cell sees it. Exits with 1
 * unless each mutant is killed by those that it names, by an assertion, and each control stays alive.
 */
export async function run(args: readonly string[]): Promise<number> {
  const { only, seed } = optionsOf(args);
  const cases = CASES.filter(({ name }) => only === undefined || name.includes(only));
  if (cases.length === 0) {
    console.error(`No mutant is called ${only}`);
    return 2;
  }
  const width = Math.max(...cases.map(({ name }) => name.length));
  const wrong: string[] = [];
  for (const one of cases) {
    const { isWell, line } = await held(one, seed);
    if (!isWell) wrong.push(one.name);
    console.log(`${one.name.padEnd(width)}  ${line}`);
  }
  console.log(summary(cases, wrong, seed));
  return wrong.length === 0 ? 0 : 1;
}

async function held(one: Case, seed: number): Promise<{ readonly isWell: boolean; readonly line: string }> {
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(2)} s`;
  try {
    const verdicts = await one.run(seed);
    if (one.kind === 'control') {
      const isWell = verdicts.length === 0;
      const by = verdicts.map(({ rule, seen }) => `${rule} (${firstLine(seen)})`).join(', ');
      return {
        isWell,
        line: isWell ? `control alive  ${seconds()}` : `CONTROL FAILED by ${by}  ${seconds()}`,
      };
    }
    const isWell = verdicts.length > 0 && verdicts.every(({ isKill }) => isKill);
    const by = verdicts
      .map(({ rule, seen, isKill }) => (isKill ? rule : `${rule}: ${firstLine(seen)}`))
      .join(', ');
    return { isWell, line: `${isWell ? 'killed by' : 'ALIVE'} ${by}  ${seconds()}` };
  } catch (error) {
    return { isWell: false, line: `NOT RUN: ${firstLine(`${error}`)}  ${seconds()}` };
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? '';
}

function summary(cases: readonly Case[], wrong: readonly string[], seed: number): string {
  const count = (kind: Case['kind']) => {
    const own = cases.filter((one) => one.kind === kind);
    return `${own.filter(({ name }) => !wrong.includes(name)).length} of ${own.length}`;
  };
  return `\n${count('mutant')} mutants killed, ${count('control')} controls alive (--seed ${seed})`;
}

function optionsOf(args: readonly string[]): { readonly only: string | undefined; readonly seed: number } {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, seed: { type: 'string' } },
  });
  return { only: values.only, seed: Number(values.seed ?? 1) };
}
