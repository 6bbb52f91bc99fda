import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';
import { manifestPod } from '@rxlet/pod-model/testing';

const container = (name: string, command = ['serve']): Container => ({
  name,
  image: `registry.example/${name}:1`,
  command,
});
const shell = (name: string, script: string): Container => container(name, ['sh', '-c', script]);
const sidecar: Container = { ...container('proxy'), restartPolicy: 'Always' };

/** Kinds of pods. */
export type PodKind =
  'one' | 'two' | 'init' | 'sidecar' | 'hooks' | 'on-failure' | 'never' | 'job' | 'volumes' | 'crashing' | 'probed';

/** The pods of the model, by kind. */
const specs: Readonly<Record<PodKind, Partial<NonNullable<Pod['spec']>>>> = {
  one: { containers: [container('app')] },
  two: { containers: [container('app'), container('web')] },
  init: { initContainers: [shell('setup', 'sleep 1'), shell('more', 'exit 0')], containers: [container('app')] },
  sidecar: { initContainers: [sidecar, shell('setup', 'exit 0')], containers: [container('app'), container('web')] },
  hooks: {
    containers: [
      {
        ...container('app'),
        lifecycle: {
          postStart: { exec: { command: ['sh', '-c', 'sleep 1'] } },
          preStop: { exec: { command: ['sh', '-c', 'sleep 1'] } },
        },
      },
    ],
  },
  'on-failure': { restartPolicy: 'OnFailure', containers: [container('app'), container('web')] },
  never: { restartPolicy: 'Never', initContainers: [sidecar], containers: [container('app'), container('web')] },
  job: { restartPolicy: 'Never', containers: [shell('app', 'sleep 3')] },
  volumes: {
    containers: [
      {
        ...container('app'),
        volumeMounts: [
          { name: 'disk', mountPath: '/disk', subPath: 'a/b' },
          { name: 'memory', mountPath: '/memory' },
          { name: 'memory', mountPath: '/below', subPath: 'below' },
          { name: 'about', mountPath: '/about' },
        ],
      },
    ],
    volumes: [
      { name: 'disk', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      {
        name: 'about',
        downwardAPI: { items: [{ path: 'name', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }] },
      },
    ],
  },
  crashing: { containers: [shell('app', 'sleep 1; exit 1'), container('web')] },
  probed: {
    containers: [
      { ...container('app'), readinessProbe: { exec: { command: ['true'] }, periodSeconds: 10, failureThreshold: 1 } },
      container('web'),
    ],
  },
};
export const podKinds: readonly PodKind[] = Object.keys(specs) as PodKind[];
/** Names of the init containers that end before others start. */
export const endingInitContainers: ReadonlySet<string> = new Set(
  Object.values(specs).flatMap(({ initContainers = [] }) =>
    initContainers.filter((one) => !isSidecar(one)).map(({ name }) => name),
  ),
);

/** Reports whether a container exits with a failure each time. */
export function alwaysCrashes({ command }: Container): boolean {
  return command?.at(-1)?.endsWith('exit 1') === true;
}

/** Reports whether a container exits by itself. */
export function endsByItself({ command }: Container): boolean {
  return command?.[0] === 'sh' && command.at(-1)?.endsWith('sleep infinity') !== true;
}

/** A pod of a model. Each kind and version has a UID of its own, as a changed manifest has. */
export function modelPod(name: string, kind: PodKind, version: number): Pod {
  const spec = structuredClone(specs[kind]);
  return manifestPod(name, { terminationGracePeriodSeconds: 2, ...spec }, podKinds.indexOf(kind) * 10 + version);
}
