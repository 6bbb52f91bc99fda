import type { Tree } from '@nx/devkit';
import { outOfSync } from './out-of-sync.ts';

/**
 * Generator of `nx sync`: derives the dependencies, peers and origin of each package.json, the project references of each build and the
 * tsconfig.json that editors open from the imports of the sources and from the workspace's package.json; lists the packages in README.md and docs/ARCHITECTURE.md.
 */
export async function syncGenerator(tree: Tree): Promise<{ outOfSyncMessage: string; outOfSyncDetails: string[] }> {
  const changes = await outOfSync(tree);
  for (const [path, content] of changes) tree.write(path, content);
  return {
    outOfSyncMessage: 'Files contradict the imports of the sources, the package.json of the workspace or its packages.',
    outOfSyncDetails: [...changes.keys()],
  };
}
