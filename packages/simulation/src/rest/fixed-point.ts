import { ContainerState } from '@rxlet/cri-api';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { alwaysCrashes } from '../workload/pod-kinds.ts';
import { endlessContainers } from '../workload/restart-rules.ts';
import type { SimulatedNode } from '../world/simulated-node.ts';
import type { World } from '../world/world.ts';

/** State of a world at rest, without ids and times: lines by pod. The key is the pod's name with its node and its spec. */
export type FixedPoint = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the state of the pods that must run for ever. What others have become depends on when their containers exited. Which pods a node under pressure, in a
 * shutdown or without room rejects, ends or does not resize depends on when the agent runs, so that these are left out.
 */
export function fixedPointOf({ nodes }: World): FixedPoint {
  return new Map(
    nodes.flatMap((one) => {
      const pods = [...one.desired.values()].filter(
        (pod) =>
          !one.isTouched(pod) &&
          !isDecidedByNode(one.node.agent().pods.get(podUid(pod))?.status) &&
          endlessContainers(pod).length === pod.spec?.containers.length &&
          !pod.spec.containers.some((container) => alwaysCrashes(container) || container.lifecycle !== undefined),
      );
      return pods.map((pod): [string, readonly string[]] => [keyOf(pod), linesOf(pod, one)]);
    }),
  );
}

/** Reports whether the node has rejected or ended a pod, or cannot resize it. */
function isDecidedByNode({ phase, reason, conditions = [] }: PodStatus = {}): boolean {
  return (isTerminalPhase(phase) && !!reason) || conditions.some(({ type }) => type === 'PodResizePending');
}

/** Returns the differences between the pods that two fixed points share. */
export function fixedPointDifferences(actual: FixedPoint, expected: FixedPoint): readonly string[] {
  const problems: string[] = [];
  for (const [key, lines] of actual) {
    const others = expected.get(key);
    if (others === undefined) continue;
    const name = key.slice(0, key.indexOf(' '));
    for (const line of lines)
      if (!others.includes(line)) problems.push(`${name} has ${line}, unlike without restarts of the agent`);
    for (const line of others)
      if (!lines.includes(line)) problems.push(`${name} lacks ${line}, unlike without restarts of the agent`);
  }
  return problems;
}

function keyOf({ metadata, spec }: Pod): string {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(
    ({ name, image = '' }) => `${name}=${image}`,
  );
  return `${metadata?.name ?? ''} ${spec?.nodeName ?? ''} ${containers.join()}`;
}

function linesOf(pod: Pod, { node }: SimulatedNode): readonly string[] {
  const uid = podUid(pod);
  const running = node.fake
    .snapshot()
    .containers.filter(
      ({ labels, state }) => labels[PodLabel.podUid] === uid && state === ContainerState.CONTAINER_RUNNING,
    )
    .map(
      ({ labels, image }) => `the running container ${labels[PodLabel.containerName] ?? ''} of ${image?.image ?? ''}`,
    );
  const directory = `/root/pods/${uid}/`;
  const files = node.files
    .paths()
    .filter((path) => path.startsWith(directory))
    .map((path) => path.slice(directory.length))
    // Names of termination logs are random, and contents of volumes have the time in their path.
    .filter((path) => !path.startsWith('containers/') && !/\/\.\.(?:data|\d)/.test(path))
    .map((path) => `the file ${path}`);
  const mounts = node.mounter.targets
    .filter((target) => target.startsWith(directory))
    .map((target) => `the mount ${target.slice(directory.length)}`);
  const cgroups = node.cgroups
    .paths()
    .filter((path) => path.replaceAll('_', '-').includes(uid))
    .flatMap((path) => Object.entries(node.cgroups.files(path)).map(([file, content]) => `${content} in ${file}`));
  return [...running, ...files, ...mounts, ...cgroups, ...statusLines(node.agent().pods.get(uid)?.status)].toSorted();
}

function statusLines({ phase, conditions = [], containerStatuses = [] }: PodStatus = {}): readonly string[] {
  return [
    `the phase ${phase ?? ''}`,
    ...conditions.map(({ type, status }) => `the condition ${type}=${status}`),
    ...containerStatuses.map(
      ({ name, state, ready }) =>
        `the status ${name} ${Object.keys(state ?? {}).join()} ${ready ? 'ready' : 'not ready'}`,
    ),
  ];
}
