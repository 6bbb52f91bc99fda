import type { Clock } from '@rxlet/component-base';
import { type ContainerConfig, Protocol } from '@rxlet/cri-api';
import type { Container, Sandbox } from '../runtime-objects.ts';
import type { Image } from '../image.ts';
import { HOST_IP } from '../network/pod-network.ts';
import type { RuntimeState } from '../runtime-state.ts';
import type { Plan } from './plan.ts';
import { scriptedPort } from './scripted-port.ts';

/** Returns the plan of a container that is being created. Throws InvalidArgument for a bad annotation. */
export function containerPlan(
  state: RuntimeState,
  sandbox: Sandbox,
  { metadata, annotations }: ContainerConfig,
  image: Image,
): Plan | undefined {
  return state.scripts.planFor({
    name: metadata!.name,
    pod: podName(sandbox),
    attempt: metadata!.attempt,
    images: [...image.message.repoTags, ...image.message.repoDigests],
    annotations: [annotations, sandbox.config.annotations],
  });
}

/** Returns the time since the start of a container; 0 before. */
export function elapsedMs(clock: Clock, { startedMs }: Pick<Container, 'startedMs'>): number {
  return startedMs === undefined ? 0 : clock.monotonicNow() - startedMs;
}

/** Starts the scripted parts of a started container besides its program: its ports, and its OOM kill. */
export function beginScript(state: RuntimeState, container: Container): void {
  const { clock, network } = state;
  container.startedMs = clock.monotonicNow();
  if (container.plan === undefined) return;
  const { ports = [], oomKillAfterSeconds } = container.plan;
  const running: Disposable[] = ports.flatMap((port) =>
    addressesOf(container.sandbox, port.port).map(({ ip, port: at }) =>
      network.serve(
        ip,
        at,
        scriptedPort(port, clock, () => elapsedMs(clock, container)),
        podName(container.sandbox),
      ),
    ),
  );
  if (oomKillAfterSeconds !== undefined) {
    const kill = (): void => container.process?.exit({ code: 137, reason: 'OOMKilled' });
    running.push(clock.setTimer(oomKillAfterSeconds * 1000, kill));
  }
  container.ports = running;
}

/** Ends them with the container. */
export function endScript(container: Container): void {
  for (const each of container.ports) each[Symbol.dispose]();
  container.ports = [];
}

/** Returns the addresses of a pod's TCP port: its own, and those of the host that are mapped to it. `127.0.0.1` stands for every address beyond loopback. */
function addressesOf({ ip, config }: Sandbox, port: number): { ip: string; port: number }[] {
  const mapped = config.portMappings
    .filter((mapping) => ip !== undefined && mapping.containerPort === port && mapping.hostPort > 0)
    .filter(({ protocol }) => protocol === Protocol.TCP)
    .map(({ hostIp, hostPort }) => ({ ip: hostIp.startsWith('127.') ? hostIp : HOST_IP, port: hostPort }));
  return [{ ip: ip ?? HOST_IP, port }, ...mapped];
}

function podName({ config }: Sandbox): string {
  return `${config.metadata!.namespace}/${config.metadata!.name}`;
}
