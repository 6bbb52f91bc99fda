import type { EndpointRequest, EndpointResponse } from '@rxlet/agent-api/http';
import type { DirectoryHandle } from '@rxlet/node-files';
import { errorLine } from '../../request/answer.ts';
import { cleanPath, trimEndSlashes } from '../../routing/clean-path.ts';
import { fileAnswer, notModified } from './file-answer.ts';
import { listingPage } from './listing-page.ts';
import { isUnmodified, lastModified } from './preconditions.ts';
import { type LogFault, type LogPlace, openLog, resolveLog } from './resolve-log.ts';

const INDEX_PAGE = 'index.html';

/**
 * Answers with a file or directory, in the form of Go's file server.
 *
 * @param urlPath decoded path below the log directory, with a slash at its beginning
 * @param query query of the request, with its `?`, for redirects
 */
export async function servePath(
  root: DirectoryHandle,
  urlPath: string,
  query: string,
  request: EndpointRequest,
): Promise<EndpointResponse> {
  if (urlPath.endsWith(`/${INDEX_PAGE}`)) return movedTo('./', query);
  await using handles = new AsyncDisposableStack();
  const place = await resolveLog(root, cleanPath(urlPath).replace(/\/$/, ''));
  if (place.kind === 'fault') return faultAnswer(place.fault);
  handles.use(place.directory);
  if (place.kind === 'directory') {
    if (!urlPath.endsWith('/')) return movedTo(`${baseOf(urlPath)}/`, query);
    const index = await resolveLog(place.directory, INDEX_PAGE);
    if (index.kind === 'fault') return await listing(place.directory, request);
    handles.use(index.directory);
    return index.kind === 'file' ? await sendFile(index, handles, request) : await listing(index.directory, request);
  }
  if (urlPath.endsWith('/')) return movedTo(`../${baseOf(urlPath)}`, query);
  return await sendFile(place, handles, request);
}

async function sendFile(
  place: LogPlace & { readonly kind: 'file' },
  handles: AsyncDisposableStack,
  request: EndpointRequest,
): Promise<EndpointResponse> {
  const file = await openLog(place);
  if (typeof file === 'string') return faultAnswer(file);
  handles.use(file);
  const info = await file.stat();
  return fileAnswer({ name: place.name, file, info, handles: handles.move() }, request);
}

async function listing(directory: DirectoryHandle, { headers }: EndpointRequest): Promise<EndpointResponse> {
  await using entry = await directory.openEntry('.');
  const modifiedMs = (await entry?.stat())?.modifiedMs ?? 0;
  if (isUnmodified(headers, modifiedMs)) return notModified(0);
  return {
    contentType: 'text/html; charset=utf-8',
    headers: lastModified(modifiedMs),
    body: await listingPage(directory),
  };
}

function faultAnswer(fault: LogFault): EndpointResponse {
  if (fault === 'permission denied') return errorLine(403, '403 Forbidden');
  const isFailure = fault === 'too many levels of symbolic links' || fault === 'file name too long';
  return isFailure ? errorLine(500, '500 Internal Server Error') : errorLine(404, '404 page not found');
}

/** Returns the last segment of a path; slashes at its end do not count. */
function baseOf(path: string): string {
  return trimEndSlashes(path).split('/').at(-1)!;
}

function movedTo(location: string, query: string): EndpointResponse {
  const encoded = location
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
  return { status: 301, contentType: null, headers: { location: `${encoded}${query}` }, body: '' };
}
