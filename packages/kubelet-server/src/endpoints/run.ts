import { EndpointError } from '@rxlet/agent-api/http';
import { callErrorText, type RuntimeService } from '@rxlet/cri-api';
import type { ServiceRoute } from '../routing/route.ts';
import type { PodLister } from '../ports.ts';
import { findPod } from './find-pod.ts';
import { findRunningContainer } from './runtime-objects.ts';

/** Runtime calls of `/run`. */
export type RunRuntime = Pick<RuntimeService, 'execSync' | 'listContainers'>;

/** Returns the service `/run/{namespace}/{pod}[/{uid}]/{container}?cmd=`, which runs a command and answers with its output. */
export function runRoute(pods: PodLister, runtime: RunRuntime): ServiceRoute {
  return {
    root: '/run',
    operations: [
      {
        methods: ['POST'],
        segments: { least: 3, most: 4 },
        async handle({ segments, parameters, signal }) {
          const containerName = segments.at(-1)!;
          const pod = findPod(pods.list(), segments[0]!, segments[1]!);
          const cmd = (parameters.get('cmd') ?? '').split(' ');
          return {
            contentType: 'application/json',
            body: await run(runtime, pod.metadata?.uid ?? '', containerName, cmd, signal),
          };
        },
      },
    ],
  };
}

async function run(
  runtime: RunRuntime,
  podUid: string,
  name: string,
  cmd: string[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const container = await findRunningContainer(runtime, podUid, name, signal);
  if (container === undefined) throw new EndpointError(500, `container not found ("${name}")`);
  let result: Awaited<ReturnType<RunRuntime['execSync']>>;
  try {
    // The client may wait as long as it likes: it cancels by leaving.
    result = await runtime.execSync({ containerId: container.id, cmd }, { signal, timeoutMs: 0 });
  } catch (error) {
    throw new EndpointError(500, callErrorText(error));
  }
  const { exitCode, stdout, stderr } = result;
  if (exitCode !== 0) {
    const message = `command '${cmd.join(' ')}' exited with ${String(exitCode)}: ${Buffer.from(stderr).toString()}`;
    throw new EndpointError(500, message);
  }
  return Buffer.concat([stdout, stderr]);
}
