import type { ContentPart } from '@lousho/core/contract';
import type { SpecificationVersion } from './ai-sdk-model.js';
import { fileOf, filePart } from './files.js';
import type { PromptPart } from './prompt-part.js';

/** Text and files as a model of the version takes them. */
export function contentParts(
  content: string | readonly ContentPart[],
  version: SpecificationVersion,
): readonly PromptPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { ...filePart(fileOf(part), version) },
  );
}
