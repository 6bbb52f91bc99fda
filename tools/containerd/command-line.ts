import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '@rxlet/component-base';
import { BUSYBOX_REFERENCE, busyboxImage } from './build-image.ts';
import { type PrivateContainerd, startPrivateContainerd } from './private-containerd.ts';

const USAGE = `Usage: node tools/containerd/main.ts [--directory DIR] [--image TAR]... [--busybox REFERENCE]...

Starts a private containerd, apart from any other one on the machine, with a sandbox image and busybox, until Ctrl-C. Needs root.

  --directory DIR      where it keeps all that it has; removed in the end (default: ${tmpdir()}/rxlet-containerd-PID)
  --image TAR          also imports this archive of images (OCI layout or docker save)
  --busybox REFERENCE  the name for busybox (default: ${BUSYBOX_REFERENCE})
`;

/** Runs a private containerd until a signal. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  let options;
  try {
    options = parseOptions(args);
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n\n${USAGE}`);
    return 2;
  }
  if (options.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }

  const signal = firstSignal();
  try {
    const directory = options.directory ?? join(tmpdir(), `rxlet-containerd-${String(process.pid)}`);
    await using containerd = await startPrivateContainerd({ directory });
    const images = await containerd.importImage(busyboxImage(...(options.busybox ?? [BUSYBOX_REFERENCE])));
    for (const path of options.image ?? []) images.push(...(await containerd.importImage(path)));
    process.stdout.write(instructions(containerd, images));
    await signal;
    process.stdout.write('Stopping containerd and its containers\n');
    return 0;
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    return 1;
  }
}

function parseOptions(args: readonly string[]): {
  directory?: string;
  image?: string[];
  busybox?: string[];
  help?: boolean;
} {
  return parseArgs({
    args: [...args],
    options: {
      directory: { type: 'string' },
      image: { type: 'string', multiple: true },
      busybox: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}

/** Resolves on the first signal to stop. Further signals are ignored: the clean-up has deadlines of its own. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
}

function instructions({ endpoint, address, logPath, bridge, subnet }: PrivateContainerd, images: string[]): string {
  return `containerd is ready
  endpoint  ${endpoint}
  images    ${images.join(', ')}
  pods      ${subnet} on ${bridge}
  log       ${logPath}

Use it from another terminal:
  npx rxlet --container-runtime-endpoint ${endpoint} --pod-manifest-path apps/agent/examples --root-dir /tmp/rxlet
  ctr --address ${address} --namespace k8s.io containers list

Ctrl-C stops it and its containers, and removes everything.
`;
}
