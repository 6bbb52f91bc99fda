import type { EndpointRequest, EndpointResponse } from '@rxlet/agent-api/http';
import { systemRandom } from '@rxlet/component-base';
import type { FileInfo, OpenFile } from '@rxlet/node-files';
import { errorLine } from '../../request/answer.ts';
import { type ByteRange, contentRange, parseRanges } from './byte-range.ts';
import { checkPreconditions, isRangeValid, lastModified } from './preconditions.ts';

const READ_BYTES = 256 * 1024;

/** A file to answer with. */
export interface ServedFile {
  readonly name: string;
  readonly file: OpenFile;
  readonly info: FileInfo;
  /** Resources that belong to the answer. */
  readonly handles: AsyncDisposableStack;
}

/** Returns an answer with a file of its size at the time, or with the parts that the request asks for. The handles of the file belong to the answer. */
export async function fileAnswer(served: ServedFile, { headers }: EndpointRequest): Promise<EndpointResponse> {
  const { name, info, handles } = served;
  const { sizeBytes, modifiedMs } = info;
  const precondition = checkPreconditions(headers, modifiedMs);
  if (precondition !== 'proceed') {
    await handles.disposeAsync();
    return precondition === 'failed'
      ? { status: 412, contentType: null, headers: lastModified(modifiedMs), body: '' }
      : notModified(modifiedMs);
  }
  const ranges = isRangeValid(headers, modifiedMs)
    ? parseRanges(headers['range'] as string | undefined, sizeBytes)
    : [];
  if (typeof ranges === 'string') {
    await handles.disposeAsync();
    const size = ranges === 'invalid range' ? undefined : { 'content-range': `bytes */${String(sizeBytes)}` };
    return errorLine(416, ranges, size);
  }
  const contentType = name.endsWith('.gz') ? 'application/gzip' : 'text/plain; charset=utf-8';
  const common = {
    'accept-ranges': 'bytes',
    // Logs are written by pods: a browser must not take them for pages.
    'x-content-type-options': 'nosniff',
    ...lastModified(modifiedMs),
  };
  if (ranges.length > 1) return multipartAnswer(served, ranges, { contentType, headers: common });
  const range = ranges[0] ?? { start: 0, end: sizeBytes };
  return {
    status: ranges.length === 0 ? 200 : 206,
    contentType,
    headers: {
      ...common,
      'content-length': String(range.end - range.start),
      ...(ranges.length > 0 && { 'content-range': contentRange(range, sizeBytes) }),
    },
    body: readRange(served, range),
  };
}

/** Returns the answer to a client that has the present version. */
export function notModified(modifiedMs: number): EndpointResponse {
  return { status: 304, contentType: null, headers: lastModified(modifiedMs), body: '' };
}

function multipartAnswer(
  served: ServedFile,
  ranges: readonly ByteRange[],
  { contentType, headers }: { contentType: string; headers: Readonly<Record<string, string>> },
): EndpointResponse {
  const boundary = systemRandom.hex(30);
  const parts = ranges.map((range, index) => ({
    range,
    head: Buffer.from(
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Range: ${contentRange(range, served.info.sizeBytes)}\r\nContent-Type: ${contentType}\r\n\r\n`,
    ),
  }));
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const lengths = parts.map(({ head, range }) => head.length + range.end - range.start);
  const length = lengths.reduce((sum, each) => sum + each, tail.length);
  async function* body(): AsyncGenerator<Uint8Array, void> {
    await using _ = served.handles;
    for (const { head, range } of parts) {
      yield head;
      yield* readBlocks(served.file, range);
    }
    yield tail;
  }
  return {
    status: 206,
    contentType: `multipart/byteranges; boundary=${boundary}`,
    headers: { ...headers, 'content-length': String(length) },
    body: body(),
  };
}

async function* readRange({ file, handles }: ServedFile, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  await using _ = handles;
  yield* readBlocks(file, range);
}

async function* readBlocks(file: OpenFile, { start, end }: ByteRange): AsyncGenerator<Uint8Array, void> {
  for (let offset = start; offset < end;) {
    const block = await file.read(offset, Math.min(READ_BYTES, end - offset));
    if (block.length === 0) throw new Error('the file became shorter while it was read');
    offset += block.length;
    yield block;
  }
}
