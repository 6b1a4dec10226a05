import type { AnswerPart, ProviderMetadata } from './ai-sdk-model.js';
import { type StoredFile, storedFile } from './files.js';
import { storable } from './storable.js';

/**
 * What `Message.providerParts` holds for an answer: its parts in their order. Text, reasoning and calls stand in the message's own fields
 * and are only pointed at, the first entry of a kind at the first of its field; everything else is here as it came.
 */
export type ProviderPart =
  | { readonly kind: 'text'; readonly length: number; readonly providerMetadata?: ProviderMetadata }
  | { readonly kind: 'reasoning' }
  | { readonly kind: 'call'; readonly providerMetadata?: ProviderMetadata }
  | {
      readonly kind: 'file' | 'reasoning-file';
      readonly file: StoredFile;
      readonly providerMetadata?: ProviderMetadata;
    }
  /** A call that the provider ran, its result, a source, or a part of the provider's own. */
  | { readonly kind: 'other'; readonly part: { readonly type: string } };

/** `undefined` for an answer that the message's own fields say all of: reasoning, then one text, then calls, and nothing signed. */
export function providerPartsOf(content: readonly AnswerPart[]): readonly ProviderPart[] | undefined {
  return isPlain(content) ? undefined : content.map(providerPartOf);
}

/** Whether a part is a call that the run carries out. */
export function isOwnCall(part: AnswerPart): part is Extract<AnswerPart, { type: 'tool-call' }> {
  return part.type === 'tool-call' && part.providerExecuted !== true;
}

function providerPartOf(part: AnswerPart): ProviderPart {
  const signed = part.providerMetadata && {
    providerMetadata: storable(part.providerMetadata) as ProviderMetadata,
  };
  if (part.type === 'text') return { kind: 'text', length: part.text.length, ...signed };
  if (part.type === 'reasoning') return { kind: 'reasoning' };
  if (isOwnCall(part)) return { kind: 'call', ...signed };
  if (part.type === 'file' || part.type === 'reasoning-file')
    return { kind: part.type, file: storedFile(part), ...signed };
  return { kind: 'other', part: storable(part) as { type: string } };
}

const PLAIN_ORDER = ['reasoning', 'text', 'tool-call'];

function isPlain(content: readonly AnswerPart[]): boolean {
  let last = 0;
  for (const part of content) {
    const place = PLAIN_ORDER.indexOf(part.type);
    const isSecondText = part.type === 'text' && last === place;
    const isSigned = part.type !== 'reasoning' && part.providerMetadata !== undefined;
    if (place < last || isSecondText || isSigned || (part.type === 'tool-call' && !isOwnCall(part)))
      return false;
    last = place;
  }
  return true;
}
