import { type AgentModule, contribute } from '@rxlet/agent-api';
import { EndpointError, type HttpEndpoint, httpEndpoints } from '@rxlet/agent-api/http';
import type { AgentCore } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';

/**
 * Creates the agent module with the endpoint `/restart/NAMESPACE/POD` for the owner of the agent: POST restarts all containers of a pod in place, or with
 * `?container=NAME` one of them. It answers before they have restarted.
 */
export function containerRestarts(): AgentModule {
  return {
    name: 'container-restarts',
    setup: ({ core }) => ({ contributions: [contribute(httpEndpoints, restartEndpoint(core))] }),
  };
}

function restartEndpoint({ pods, restartContainers }: Pick<AgentCore, 'pods' | 'restartContainers'>): HttpEndpoint {
  return {
    path: 'restart',
    methods: ['POST'],
    produces: 'application/json',
    minSegments: 2,
    maxSegments: 2,
    isLocal: true,
    handle({ segments, parameters }) {
      const [namespace, name] = segments;
      const pod = pods.list().findLast(({ metadata }) => metadata?.namespace === namespace && metadata?.name === name);
      if (pod === undefined) throw new EndpointError(404, `there is no pod "${namespace!}/${name!}"`);
      const container = parameters.get('container') ?? undefined;
      if (container !== undefined) checkContainer(pod, container);
      const restarted = restartContainers(pod, container);
      if (restarted.length === 0)
        throw new EndpointError(409, `pod "${namespace!}/${name!}" has no container to restart`);
      return { contentType: 'application/json', body: JSON.stringify({ containers: restarted }) };
    },
  };
}

/** Rejects a container that does not exist, or that the pod has left behind. @throws EndpointError */
function checkContainer({ metadata, spec }: Pod, container: string): void {
  const init = spec?.initContainers?.find(({ name }) => name === container);
  if (init !== undefined && init.restartPolicy !== 'Always') {
    throw new EndpointError(400, `"${container}" is an init container: restart the whole pod to run it again`);
  }
  const isRegular = spec?.containers.some(({ name }) => name === container) === true;
  if (init === undefined && !isRegular) {
    throw new EndpointError(404, `pod "${metadata?.name ?? ''}" has no container "${container}"`);
  }
}
