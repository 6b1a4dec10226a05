import { type ChatAnswer, type PostgresServer, startChatServer, startPostgres } from '@lousho/test-backends';

type Environment = Readonly<Record<string, string>>;

/** What examples need beside a program: started when the first one asks, in place of what a user has. */
export class Servers {
  #postgres: Promise<PostgresServer> | undefined;

  /** The user's own (`DATABASE_URL`), or one that is thrown away. */
  async database(): Promise<Environment> {
    const { DATABASE_URL } = process.env;
    if (DATABASE_URL) return { DATABASE_URL };
    this.#postgres ??= startPostgres();
    return { DATABASE_URL: (await this.#postgres).url };
  }

  async close(): Promise<void> {
    await (await this.#postgres)?.stop();
  }
}

/** A model that gives these answers, and how to reach it. */
export async function startModel(
  answers: readonly ChatAnswer[],
): Promise<{ readonly env: Environment; close(): Promise<void> }> {
  const left = [...answers];
  const { baseURL, apiKey, close } = await startChatServer({
    answer: () => left.shift() ?? { status: 500, error: { message: 'The script of the model is over' } },
  });
  return { env: { BASE_URL: baseURL, API_KEY: apiKey, MODEL: 'scripted' }, close };
}
