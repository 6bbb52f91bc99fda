import { EndpointError } from '@rxlet/agent-api/http';
import { type Clock, toRfc3339 } from '@rxlet/component-base';
import { parseInt64 } from '@rxlet/component-base/go';
import { callErrorText, type RuntimeService } from '@rxlet/cri-api';
import { findPodContainer } from '@rxlet/pod-model';
import type { PodLister } from '../ports.ts';
import type { ServiceRoute } from '../routing/route.ts';
import { findPod } from './find-pod.ts';
import { findRunningContainer } from './runtime-objects.ts';

/** Ports of {@link checkpointRoute}. */
export interface CheckpointPorts {
  readonly pods: PodLister;
  readonly runtime: Pick<RuntimeService, 'checkpointContainer' | 'listContainers'>;
  readonly clock: Clock;
  /** Directory of the checkpoints. */
  readonly directory: string;
}

/** Returns the service `/checkpoint/{namespace}/{pod}/{container}`, which writes the state of a container to an archive. */
export function checkpointRoute({ pods, runtime, clock, directory }: CheckpointPorts): ServiceRoute {
  return {
    root: '/checkpoint/',
    operations: [
      {
        methods: ['POST'],
        segments: { least: 3, most: 3 },
        produces: 'application/json',
        async handle({ segments, parameters, signal }) {
          const [namespace = '', podName = '', containerName = ''] = segments;
          const pod = findPod(pods.list(), namespace, podName);
          if (findPodContainer(pod, containerName) === undefined) {
            throw new EndpointError(404, `container ${containerName} does not exist`);
          }
          const timeout = parseTimeout(parameters.getAll('timeout').at(-1));
          const fail = (cause: string): never => {
            throw new EndpointError(500, `checkpointing of ${namespace}/${podName}/${containerName} failed (${cause})`);
          };
          const container = await findRunningContainer(runtime, pod.metadata?.uid ?? '', containerName, signal);
          if (container === undefined) return fail(`container ${containerName} not found`);
          const location = `${directory}/checkpoint-${podName}_${namespace}-${containerName}-${toRfc3339(clock.now())}.tar`;
          try {
            await runtime.checkpointContainer({ containerId: container.id, location, timeout }, { signal });
          } catch (error) {
            return fail(callErrorText(error));
          }
          return { contentType: 'application/json', body: JSON.stringify({ items: [location] }) };
        },
      },
    ],
  };
}

/** Parses the timeout of the runtime in seconds; 0, the default, leaves it to the runtime. */
function parseTimeout(text: string | undefined): bigint {
  if (text === undefined) return 0n;
  const seconds = parseInt64(text);
  if (seconds !== undefined) return seconds;
  throw new EndpointError(404, 'cannot parse value of timeout parameter');
}
