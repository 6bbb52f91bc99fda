import type { EndpointRequest, EndpointResponse } from '@rxlet/agent-api/http';
import type { Clock } from '@rxlet/component-base';
import type { DirectoryHandle, HostFiles } from '@rxlet/node-files';
import { errorLine } from '../../request/answer.ts';
import type { ApiRequest } from '../../request/api-request.ts';
import type { Operation, ServiceRoute } from '../../routing/route.ts';
import { joinErrors } from './field-errors.ts';
import { faultOfFile } from './file-logs.ts';
import { gzipped } from './gzipped.ts';
import type { JournalProgram } from './journal-program.ts';
import { type LogQuery, parseLogQuery } from './log-query.ts';
import { servePath } from './serve-path.ts';
import { serviceLogs } from './service-logs.ts';
import { validateLogQuery } from './validate-log-query.ts';

/** Ports of {@link nodeLogsRoute}. */
export interface NodeLogsPorts {
  readonly hostFiles: Pick<HostFiles, 'openDirectory'>;
  /** Directory of the node's logs, without links in its path: `/var/log`. */
  readonly directory: string;
  /** Reads the journal for queries. Absent: the node has none. */
  readonly journal?: JournalProgram;
}

const ROOT = '/logs/';

/**
 * Returns the service `/logs/`: the files of the log directory, to be read, and on request queries for the logs of services. Links that lead out of the directory lead
 * nowhere.
 */
export function nodeLogsRoute(
  ports: NodeLogsPorts,
  clock: Clock,
  options: { readonly hasQueries: boolean },
): ServiceRoute {
  const operation: Operation = {
    methods: ['GET'],
    segments: { least: 0, most: Infinity },
    handle: (request) => (options.hasQueries ? answerQuery(ports, clock, request) : serveFiles(ports, request)),
  };
  return { root: ROOT, operations: [operation] };
}

async function answerQuery(ports: NodeLogsPorts, clock: Clock, request: ApiRequest): Promise<EndpointResponse> {
  const { parameters, target } = request;
  const parsed = parseLogQuery(parameters);
  if ('errors' in parsed) return errorLine(400, joinErrors(parsed.errors));
  const { query } = parsed;
  if (query === undefined) return serveFiles(ports, request);
  if (!/^\/logs\/+$/.test(target.path)) return errorLine(406, 'path not allowed in query mode');
  const errors = await validateLogQuery(query, (file) => withRoot(ports, (root) => faultOfFile(root, file)));
  if (errors.length > 0) return errorLine(406, joinErrors(errors));
  const [file] = query.files;
  if (file === undefined) return servicesAnswer(ports, clock, query, request);
  return serveFiles(ports, request, `/${file.replace(/^\/+/, '')}`);
}

function servicesAnswer(
  { hostFiles, directory, journal }: NodeLogsPorts,
  clock: Clock,
  query: LogQuery,
  { headers, signal }: EndpointRequest,
): EndpointResponse {
  const files = { openRoot: () => hostFiles.openDirectory(directory) };
  const body = serviceLogs({ clock, journal, files }, query, signal);
  const contentType = 'text/plain;charset=UTF-8';
  // Exactly this value, as in the kubelet: it is what API servers send.
  if (headers['accept-encoding'] !== 'gzip') return { contentType, body };
  return { contentType, headers: { 'content-encoding': 'gzip' }, body: gzipped(body, signal) };
}

function serveFiles(
  ports: NodeLogsPorts,
  request: ApiRequest,
  path = request.target.path.slice(ROOT.length - 1),
): Promise<EndpointResponse> {
  return withRoot(ports, async (root) =>
    root === undefined ? errorLine(404, '404 page not found') : servePath(root, path, request.target.query, request),
  );
}

async function withRoot<T>(
  { hostFiles, directory }: NodeLogsPorts,
  act: (root: DirectoryHandle | undefined) => Promise<T>,
): Promise<T> {
  await using root = await hostFiles.openDirectory(directory);
  return await act(root);
}
