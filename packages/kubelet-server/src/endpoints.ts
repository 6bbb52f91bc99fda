import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '@rxlet/component-base';
import type { PodList } from '@rxlet/kube-api';
import { map } from 'rxjs';
import { beginStream, sendJson, sendText } from './answer.ts';
import { toApiEvent } from './event-object.ts';
import { parseLogQuery } from './log-query.ts';
import { flag } from './parameters.ts';
import type { KubeletServerPorts } from './ports.ts';
import { RequestError } from './request-error.ts';
import type { RequestTarget } from './request-target.ts';
import { INITIAL_EVENTS_END, type InitialEventsEnd, type WatchEvent } from './watch-event.ts';
import { type KeyedChange, writeWatch } from './watch-stream.ts';

/** Answers the requests for one endpoint. What it throws is still to be answered, unless it has begun to answer. */
export interface Endpoint {
  /** Which methods it knows; the others would change something. */
  readonly methods: readonly string[];
  /** How many parts of a path may follow the endpoint's own. */
  readonly maxRest: number;
  handle(target: RequestTarget, response: ServerResponse): void | Promise<void>;
}

const READ = ['GET', 'HEAD'];

/** What the endpoints need besides the ports. */
export interface EndpointOptions {
  readonly clock: Clock;
  readonly nodeName: string;
  /** Ends what is being answered. */
  readonly signal: AbortSignal;
}

/** The endpoints by the first part of their path. */
export function createEndpoints(ports: KubeletServerPorts, options: EndpointOptions): ReadonlyMap<string, Endpoint> {
  return new Map<string, Endpoint>([
    ['pods', podsEndpoint(ports)],
    ['events', eventsEndpoint(ports, options.nodeName)],
    ['healthz', healthEndpoint(ports)],
    ['metrics', metricsEndpoint(ports)],
    ['containerLogs', logsEndpoint(ports, options)],
    ...(ports.debugState === undefined ? [] : [['debug', debugEndpoint(ports.debugState)] as const]),
  ]);
}

function podsEndpoint({ pods }: KubeletServerPorts): Endpoint {
  return {
    methods: READ,
    maxRest: 0,
    handle({ parameters }, response) {
      const items = pods.list();
      if (!flag(parameters, 'watch')) {
        sendJson(response, { apiVersion: 'v1', kind: 'PodList', metadata: {}, items: [...items] } satisfies PodList);
        return;
      }
      const initial = initialEvents(items, parameters);
      if (!beginStream(response, 'application/json')) return;
      const changes$ = pods.changes$.pipe(
        map(({ type, pod }): KeyedChange => ({ key: pod.metadata?.uid ?? '', event: { type, object: pod } })),
      );
      writeWatch(response, initial, changes$);
    },
  };
}

function eventsEndpoint({ events }: KubeletServerPorts, nodeName: string): Endpoint {
  return {
    methods: READ,
    maxRest: 0,
    handle({ parameters }, response) {
      const items = events.list().map((event) => toApiEvent(event, nodeName));
      if (!flag(parameters, 'watch')) {
        sendJson(response, { apiVersion: 'v1', kind: 'EventList', metadata: {}, items });
        return;
      }
      const initial = initialEvents(items, parameters);
      if (!beginStream(response, 'application/json')) return;
      const changes$ = events.events$.pipe(
        map((recorded): KeyedChange => {
          const object = toApiEvent(recorded, nodeName);
          const { namespace = '', name = '' } = object.metadata;
          return {
            key: `${namespace}/${name}`,
            event: { type: recorded.update ? 'MODIFIED' : 'ADDED', object },
          };
        }),
      );
      writeWatch(response, initial, changes$);
    },
  };
}

/** What a watch begins with; as in the API, `sendInitialEvents` asks for a mark of its end. */
function initialEvents(items: readonly unknown[], parameters: URLSearchParams): (WatchEvent | InitialEventsEnd)[] {
  const added = items.map((object): WatchEvent => ({ type: 'ADDED', object }));
  return flag(parameters, 'sendInitialEvents') ? [...added, INITIAL_EVENTS_END] : added;
}

function healthEndpoint({ healthChecks }: KubeletServerPorts): Endpoint {
  return {
    methods: READ,
    maxRest: 1,
    handle({ rest: [name] }, response) {
      const asked = name === undefined ? healthChecks : healthChecks.filter((check) => check.name === name);
      if (asked.length === 0 && name !== undefined) throw new RequestError(404, `there is no health check "${name}"`);
      const failures = asked.flatMap((check) => {
        const failure = check.check();
        return failure === undefined ? [] : [`${check.name}: ${failure}\n`];
      });
      // As the kubelet: exactly `ok`, without the end of a line.
      if (failures.length === 0) sendText(response, 200, 'ok');
      else sendText(response, 500, failures.join(''));
    },
  };
}

function metricsEndpoint({ metrics }: KubeletServerPorts): Endpoint {
  return {
    methods: READ,
    maxRest: 0,
    async handle(_target, response) {
      const { contentType, text } = await metrics();
      response.writeHead(200, { 'content-type': contentType });
      response.end(text);
    },
  };
}

function debugEndpoint(debugState: () => unknown): Endpoint {
  return {
    methods: READ,
    maxRest: 1,
    handle({ rest: [name = ''] }, response) {
      if (name !== 'state') throw new RequestError(404, `there is nothing to debug called "${name}", only "state"`);
      sendJson(response, debugState());
    },
  };
}

function logsEndpoint({ readLog }: KubeletServerPorts, { clock, signal }: EndpointOptions): Endpoint {
  return {
    // Not HEAD: whether there is such a log is only known to who opens it.
    methods: ['GET'],
    maxRest: Infinity,
    async handle({ rest, parameters }, response) {
      const query = parseLogQuery(rest, parameters, clock.now());
      const left = new AbortController();
      response.once('close', () => left.abort(new Error('the reader went away')));
      const ended = AbortSignal.any([left.signal, signal]);
      const chunks = await readLog(query, ended);
      beginStream(response, 'text/plain; charset=utf-8');
      for await (const chunk of chunks) {
        if (!response.write(chunk)) await once(response, 'drain', { signal: ended });
      }
      // Whoever still reads must not take what was cut off for the end of the log.
      if (ended.aborted) response.destroy();
      else response.end();
    },
  };
}
