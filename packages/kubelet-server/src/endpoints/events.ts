import { map } from 'rxjs';
import type { KubeletServerPorts } from '../ports.ts';
import { beginStream, jsonAnswer } from '../request/answer.ts';
import type { ServiceRoute } from '../routing/route.ts';
import { toApiEvent } from '../watch/event-object.ts';
import { initialEvents } from '../watch/watch-event.ts';
import { type KeyedChange, writeWatch } from '../watch/watch-stream.ts';
import { flagParameter } from '../request/flag-parameter.ts';

/** Returns the service `/events` of the local socket: the last events of the node as a list or a watch. */
export function eventsRoute({ events }: Pick<KubeletServerPorts, 'events'>, nodeName: string): ServiceRoute {
  return {
    root: '/events',
    operations: [
      {
        methods: ['GET', 'HEAD'],
        segments: { least: 0, most: 0 },
        produces: 'application/json',
        handle({ parameters, response }) {
          const items = events.list().map((event) => toApiEvent(event, nodeName));
          if (!flagParameter(parameters, 'watch')) {
            return jsonAnswer({ kind: 'EventList', apiVersion: 'v1', metadata: {}, items });
          }
          const initial = initialEvents(items, parameters);
          response.setHeader('content-type', 'application/json');
          if (!beginStream(response)) return undefined;
          const changes$ = events.events$.pipe(
            map((recorded): KeyedChange => {
              const object = toApiEvent(recorded, nodeName);
              const { namespace = '', name = '' } = object.metadata;
              return { key: `${namespace}/${name}`, event: { type: recorded.update ? 'MODIFIED' : 'ADDED', object } };
            }),
          );
          writeWatch(response, initial, changes$);
          return undefined;
        },
      },
    ],
  };
}
