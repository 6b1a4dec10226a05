import { ProviderRequestError } from '@lousho/core/contract';
import type {
  AnswerPart,
  FinishReasonTold,
  ProviderMetadata,
  StreamPart,
  UsageTold,
} from './ai-sdk-model.js';
import type { Answer } from './answer.js';

/** A text or a reasoning that grows. The last signature that comes is the one of the whole. */
interface OpenBlock {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: ProviderMetadata;
}

/** Collects the parts of a stream, in the order in which they began, until they are the answer that `doGenerate` would have given. */
export class StreamedAnswer {
  readonly #content: (AnswerPart | OpenBlock)[] = [];
  readonly #open = new Map<string, OpenBlock>();
  #finish: { readonly finishReason: FinishReasonTold; readonly usage: UsageTold } | undefined;
  #modelId: string;

  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#start(part.type === 'text-start' ? 'text' : 'reasoning', part);
        return;
      case 'text-delta':
      case 'reasoning-delta':
        this.#grow(part.type === 'text-delta' ? 'text' : 'reasoning', part);
        return;
      case 'text-end':
      case 'reasoning-end':
        this.#end(part.type === 'text-end' ? 'text' : 'reasoning', part);
        return;
      case 'response-metadata':
        this.#modelId = part.modelId ?? this.#modelId;
        return;
      case 'finish':
        this.#finish = part;
        return;
      case 'stream-start':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'raw':
      case 'ping':
      case 'error':
        return;
      default:
        this.#content.push(part);
    }
  }

  /** Throws a `ProviderRequestError` when the stream has ended without saying that it is whole. */
  whole(provider: string): Answer {
    if (!this.#finish) throw new ProviderRequestError(`provider ${provider}: the answer was cut off`);
    return {
      content: this.#content,
      modelId: this.#modelId,
      finishReason: this.#finish.finishReason,
      usage: this.#finish.usage,
    };
  }

  #start(type: OpenBlock['type'], { id, providerMetadata }: Signed): OpenBlock {
    const block: OpenBlock = { type, text: '', ...(providerMetadata && { providerMetadata }) };
    this.#content.push(block);
    this.#open.set(`${type} ${id}`, block);
    return block;
  }

  #grow(type: OpenBlock['type'], part: Signed & { readonly delta: string }): void {
    const block = this.#open.get(`${type} ${part.id}`) ?? this.#start(type, part);
    block.text += part.delta;
    if (part.providerMetadata) block.providerMetadata = part.providerMetadata;
  }

  #end(type: OpenBlock['type'], { id, providerMetadata }: Signed): void {
    const block = this.#open.get(`${type} ${id}`);
    if (block && providerMetadata) block.providerMetadata = providerMetadata;
    this.#open.delete(`${type} ${id}`);
  }
}

interface Signed {
  readonly id: string;
  readonly providerMetadata?: ProviderMetadata | undefined;
}
