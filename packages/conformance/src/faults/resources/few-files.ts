import type { ConformanceHarness } from '../../model/harness.js';
import { NotRun } from '../../model/violation.js';
import { clientOf } from '../../world/client.js';
import { worldClock } from '../../world/world-clock.js';
import { nextCheckpoint } from '../flows/steps.js';
import { type Answer, askCommand } from '../process/asking.js';
import { run } from '../tools/command.js';

const FILES = 64;
const AT_ONCE = 16;

/** Lists so many ids in a process that may open few files (A43). */
export async function listWithFewFiles(harness: ConformanceHarness, ids: number): Promise<readonly string[]> {
  const storage = await harness.createStorage({ clock: worldClock() });
  try {
    if (harness.module === undefined || storage.config === undefined)
      throw new NotRun('no other process can be started');
    const client = clientOf(await storage.open());
    const names = Array.from({ length: ids }, (_, at) => `run-${at}`).values();
    const save = async () => {
      for (const name of names)
        await client.checkpoints.save(name, nextCheckpoint(null, name, 'worker-a', { bytes: 20 }));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, save));
    await client.close();
    const { module } = harness;
    const asked = askCommand({ module, config: storage.config }, [
      ['checkpoints.list'],
      ['checkpoints.listPending'],
    ]);
    const script = `ulimit -n ${FILES} && exec "$@"`;
    const { stdout, stderr } = await run(['sh', '-c', script, 'sh', ...asked], { timeLimitMs: 300_000 });
    if (!stdout) return [`a process with ${FILES} files failed: ${stderr.slice(-400)}`];
    const answers = JSON.parse(stdout) as readonly Answer[];
    return answers.flatMap(({ count, refused }) =>
      count === ids
        ? []
        : [`of ${ids} ids, with at most ${FILES} open files, ${refused ?? count} were listed`],
    );
  } finally {
    await storage.dispose();
  }
}
