import { shell, untilStopped } from './containerd-node.ts';

/** Returns the template of a pod with one container, `main`, that runs a script. */
export function podTemplate(
  app: string,
  script = untilStopped(),
  spec: object = {},
): { metadata: object; spec: object } {
  return {
    metadata: { labels: { app } },
    spec: { terminationGracePeriodSeconds: 2, containers: [{ name: 'main', ...shell(script) }], ...spec },
  };
}

/** Returns a pod as {@link podTemplate} describes it. */
export function pod(name: string, script?: string, spec?: object): object {
  const { metadata, spec: podSpec } = podTemplate(name, script, spec);
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: podSpec };
}

/** Returns a Deployment, StatefulSet or DaemonSet of such pods. */
export function workload(kind: string, name: string, spec: object = {}, template: object = podTemplate(name)): object {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template, ...spec },
  };
}
