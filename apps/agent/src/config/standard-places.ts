import { join } from 'node:path';

/** Default of `--root-dir`, the kubelet's. */
export const DEFAULT_ROOT_DIRECTORY = '/var/lib/kubelet';

/** Default of `--container-runtime-endpoint`, the kubelet's. */
export const DEFAULT_RUNTIME_ENDPOINT = 'unix:///run/containerd/containerd.sock';

/** Returns the path of the agent's own socket, through which the other commands talk to it. */
export function socketPath(rootDirectory: string): string {
  return join(rootDirectory, 'rxlet.sock');
}
