import type { ContentPart } from '@lousho/core/contract';
import type { SpecificationVersion } from './ai-sdk-model.js';
import { storable } from './storable.js';

/** A file of any version of the specification, as it is stored. */
export interface StoredFile {
  readonly mediaType: string;
  readonly filename?: string;
  /** Bytes, or base64 text. */
  readonly data?: Uint8Array | string;
  readonly url?: string;
}

/** A file that a model made: V4 says in an object whether it is data or a URL. */
export function storedFile({ mediaType, data }: { mediaType: string; data: unknown }): StoredFile {
  if (data instanceof Uint8Array || typeof data === 'string') return { mediaType, data };
  const told = storable(data) as { data?: Uint8Array | string; url?: string } | null;
  if (typeof told?.url === 'string') return { mediaType, url: told.url };
  return { mediaType, ...(told?.data !== undefined && { data: told.data }) };
}

/** A file or an image that a user sent. Text is a URL, a data URL or base64. */
export function fileOf(part: Exclude<ContentPart, { type: 'text' }>): StoredFile {
  const data = part.type === 'image' ? part.image : part.data;
  // What providers take for "some image".
  const mediaType = part.mediaType ?? 'image/*';
  const filename = part.type === 'file' && part.filename !== undefined ? { filename: part.filename } : {};
  if (typeof data !== 'string') return { mediaType, data, ...filename };
  const [, ownType, base64] = /^data:([^;,]+)?(?:;[^,]*)?;base64,(.*)$/s.exec(data) ?? [];
  if (base64 !== undefined)
    return { mediaType: part.mediaType ?? ownType ?? mediaType, data: base64, ...filename };
  return /^https?:/i.test(data) ? { mediaType, url: data, ...filename } : { mediaType, data, ...filename };
}

/** A file as a model of the version takes it. */
export function filePart(file: StoredFile, version: SpecificationVersion): FilePart {
  const { mediaType, filename, url } = file;
  const data = url === undefined ? (file.data ?? '') : new URL(url);
  const named = filename === undefined ? {} : { filename };
  if (version !== 'v4') return { type: 'file', mediaType, data, ...named };
  return {
    type: 'file',
    mediaType,
    data: data instanceof URL ? { type: 'url', url: data } : { type: 'data', data },
    ...named,
  };
}

export interface FilePart {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  readonly data: unknown;
}
