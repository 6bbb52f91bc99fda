import { EndpointError, type EndpointResponse, type HttpEndpoint } from '@rxlet/agent-api/http';
import type { Logger } from '@rxlet/component-base';
import type { Explainer } from '../explain/explain-pods.ts';
import type { Explanation } from '../explain/explanation.ts';
import type { Life } from '../model/life.ts';
import type { JournalStore } from '../store/journal-store.ts';
import { EVENT_STREAM } from './event-stream.ts';
import { followLife } from './follow-life.ts';

/** Ports of {@link journalEndpoint}. */
export interface JournalEndpointPorts {
  readonly store: JournalStore;
  readonly explainer: Explainer;
  readonly logger: Logger;
}

const JSON_TYPE = 'application/json';

/**
 * Returns the endpoint `/journal`: the lives of all pods without their spans, or with `/journal/NAMESPACE/NAME` the latest life of one. `?watch=true` streams server-sent
 * events.
 */
export function journalEndpoint(ports: JournalEndpointPorts): HttpEndpoint {
  const { store, explainer } = ports;
  return {
    path: 'journal',
    methods: ['GET'],
    maxSegments: 2,
    handle({ segments, parameters, signal }): EndpointResponse {
      const [namespace, name] = segments;
      if (namespace === undefined) {
        const items = store.lives().map((life) => summary(life, explainer.explainLife(life)));
        return { contentType: JSON_TYPE, body: JSON.stringify({ kind: 'LifeList', items }) };
      }
      if (name === undefined) throw new EndpointError(404, 'the path must be /journal/NAMESPACE/NAME');
      if (parameters.get('watch') === 'true') {
        const headers = { 'cache-control': 'no-cache' };
        return { contentType: EVENT_STREAM, headers, body: followLife(ports, { namespace, name }, signal) };
      }
      const life = store.find(namespace, name);
      if (life === undefined) throw new EndpointError(404, `the journal has no pod "${namespace}/${name}"`);
      return { contentType: JSON_TYPE, body: JSON.stringify(life) };
    },
  };
}

/** Returns a life without its spans, with the sentence that explains it. */
function summary({ spans: _, ...life }: Life, { state, sentence, sinceMs }: Explanation): object {
  return { ...life, state, sentence, sinceMs };
}
