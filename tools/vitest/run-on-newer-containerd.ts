// Runs the tests in which versions of containerd may differ on the one of Debian's testing suite: `npm run test:containerd-2 [-- FILES AND FLAGS OF VITEST]`.
// Where that cannot be had, it prints why and succeeds.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackNewerContainerd } from '@rxlet/test-containerd/newer-containerd';
import { containerdUnavailable } from '@rxlet/test-containerd/prerequisites';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** CRI and events, images and their volumes, devices, resources, users, statistics, and the life of pods over restarts of the runtime. */
const FILES: readonly string[] = [
  'tools/containerd/private-containerd',
  'packages/cri-client/',
  'packages/image-manager/',
  'apps/agent/src/device-plugins',
  'apps/agent/src/dynamic-resources',
  'apps/agent/src/image-volumes',
  'apps/agent/src/on-each-runtime',
  'apps/agent/src/pull-progress',
  'apps/agent/src/resize',
  'apps/agent/src/stats',
  'apps/agent/src/user-namespaces',
];

function prepare(): { readonly folder: string } | { readonly unavailable: string } {
  const unavailable = containerdUnavailable();
  if (unavailable !== undefined) return { unavailable };
  const cache = join(root, 'node_modules/.cache/newer-containerd');
  mkdirSync(cache, { recursive: true });
  return unpackNewerContainerd(cache);
}

const prepared = prepare();
if ('unavailable' in prepared) {
  console.log(`skipped: ${prepared.unavailable}`);
} else {
  const args = process.argv.slice(2);
  const { status } = spawnSync(
    process.execPath,
    ['--conditions=@rxlet/source', join(root, 'tools/vitest/run-on-runtimes.ts'), ...(args.length > 0 ? args : FILES)],
    { cwd: root, stdio: 'inherit', env: { ...process.env, RXLET_TEST_CONTAINERD: prepared.folder } },
  );
  process.exitCode = status ?? 1;
}
