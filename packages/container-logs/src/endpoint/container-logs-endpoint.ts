import type { HttpEndpoint } from '@rxlet/agent-api/http';
import type { Clock } from '@rxlet/component-base';
import { type LogQuery, parseLogQuery, rejectSingleStream } from './log-query.ts';
import { LogUnavailableError } from './choose-container.ts';

/** Finds the log that a query selects. Rejects with an `EndpointError` for an unknown container, with a `LogUnavailableError` for one without a log. */
export type OpenLog = (query: LogQuery, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/** Options of {@link containerLogsEndpoint}. */
export interface ContainerLogsEndpointOptions {
  /** Whether one of the streams alone can be read (feature gate PodLogsQuerySplitStreams). Default: false. */
  readonly splitsStreams?: boolean | undefined;
}

/** Creates the endpoint `/containerLogs/{namespace}/{pod}/{container}`, with the parameters of PodLogOptions. */
export function containerLogsEndpoint(
  openLog: OpenLog,
  clock: Clock,
  { splitsStreams = false }: ContainerLogsEndpointOptions = {},
): HttpEndpoint {
  const check = (parameters: URLSearchParams): void => {
    if (!splitsStreams) rejectSingleStream(parameters);
  };
  return {
    path: 'containerLogs',
    // HEAD would have to open the log to know whether there is one.
    methods: ['GET'],
    minSegments: 3,
    maxSegments: 3,
    async handle({ segments, parameters, signal }) {
      const query = parseLogQuery(segments, parameters, clock.now());
      try {
        const body = await openLog(query, signal);
        check(parameters);
        // As from the kubelet, a log has no type, nor has the reason why there is none.
        return { contentType: null, body };
      } catch (error) {
        if (!(error instanceof LogUnavailableError)) throw error;
        check(parameters);
        return { status: 400, contentType: null, body: error.message };
      }
    },
  };
}
