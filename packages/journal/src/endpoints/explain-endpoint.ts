import { EndpointError, type EndpointResponse, type HttpEndpoint } from '@rxlet/agent-api/http';
import type { Explainer } from '../explain/explain-pods.ts';
import type { NodeExplanation } from '../explain/explanation.ts';

/** Ports of {@link explainEndpoint}. */
export interface ExplainEndpointPorts {
  readonly explainer: Explainer;
  explainNode(): NodeExplanation;
}

/**
 * Returns the endpoint `/explain`: the node, and the pods that are not as desired (`?all=true`: all pods). `/explain/NAMESPACE/NAME` explains one pod, also one that is gone.
 */
export function explainEndpoint({ explainer, explainNode }: ExplainEndpointPorts): HttpEndpoint {
  return {
    path: 'explain',
    methods: ['GET'],
    maxSegments: 2,
    handle({ segments, parameters }) {
      const [namespace, name] = segments;
      if (namespace === undefined) {
        const all = explainer.explainAll();
        const pods = parameters.get('all') === 'true' ? all : all.filter(({ state }) => state !== 'ok');
        return json({ kind: 'NodeExplanation', node: explainNode(), podCount: all.length, pods });
      }
      if (name === undefined) throw new EndpointError(404, 'the path must be /explain/NAMESPACE/NAME');
      const explanation = explainer.explain(namespace, name);
      if (explanation === undefined) throw new EndpointError(404, `the journal has no pod "${namespace}/${name}"`);
      return json(explanation);
    },
  };
}

function json(value: unknown): EndpointResponse {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}
