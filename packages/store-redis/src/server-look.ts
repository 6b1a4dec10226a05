import { ConfigurationError } from '@lousho/core/contract';
import type { RedisLink } from './redis-link.js';
import type { RedisSettings } from './redis-options.js';
import { askServers, judge, type ServerVerdict } from './server-check.js';

/** Looks at the server once, before the first call. */
export class ServerLook {
  #verdict: ServerVerdict | undefined;
  #looking: Promise<ServerVerdict> | undefined;

  constructor(
    readonly link: RedisLink,
    readonly settings: RedisSettings,
  ) {}

  get survives(): ServerVerdict['survives'] {
    return this.#verdict?.survives ?? this.settings.survives ?? 'nothing';
  }

  /** Resolves for a server that is accepted. A server that could not be asked is asked again by the next call. */
  async opened(): Promise<void> {
    const { dangers } = this.#verdict ?? (await this.#look());
    if (this.settings.onUnsafe === 'error' && dangers.length > 0) {
      throw new ConfigurationError(`Expected a server that keeps what it is given: ${dangers.join('; ')}`, {
        field: 'connection',
        hint: "Correct the server's settings, or accept them with `onUnsafe: 'warn'`.",
      });
    }
  }

  #look(): Promise<ServerVerdict> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #ask(): Promise<ServerVerdict> {
    const facts = await this.link.ask('open', () => askServers(this.link.client));
    const verdict = judge(facts, this.settings.survives);
    this.#verdict = verdict;
    if (this.settings.onUnsafe === 'warn') {
      for (const danger of verdict.dangers) this.settings.logger.warn(`RedisStore: ${danger}`);
    }
    return verdict;
  }
}
