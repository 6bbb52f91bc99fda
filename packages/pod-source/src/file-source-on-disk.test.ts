import { execFileSync } from 'node:child_process';
import { renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sleep, systemClock } from '@rxlet/component-base';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { createFileSource } from './file-source.ts';
import { MAX_MANIFEST_BYTES } from './manifest-reader.ts';
import { testManifest } from './test-manifest.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pod-source-'));
  folder = join(root, 'manifests');
  await mkdir(folder);
});
afterEach(() => rm(root, { recursive: true }));

/** Polls until `condition` holds, because a file system reports changes with a delay. */
async function until(condition: () => boolean): Promise<void> {
  for (let attempts = 0; !condition(); attempts += 1) {
    if (attempts > 500) throw new Error('the condition did not hold within 5 s');
    await sleep(systemClock, 10);
  }
}

/** A source that finds changes only by its watch, because its periodic check is too late. */
function startSource(path = folder) {
  const lastGoodFile = { files: createNodeFiles({ roots: [root] }), path: join(root, 'static_pods') };
  const source = createFileSource(
    { clock: systemClock, hostFiles: createHostFiles(), lastGoodFile },
    { path, nodeName: 'n', checkPeriodMs: 3_600_000 },
  );
  const problems: string[] = [];
  let pods: string | undefined;
  source.problems$.subscribe((present) => {
    for (const { message } of present) if (!problems.includes(message)) problems.push(message);
  });
  source.snapshots$.subscribe((snapshot) => {
    pods = snapshot.map(({ metadata, spec }) => `${metadata!.name!} ${spec!.containers[0]!.image!}`).join(', ');
  });
  source.start();
  return { source, problems, pods: () => pods };
}

describe('a file source on the file system', () => {
  it('sees files that are moved into place, edited, hidden and removed', async () => {
    const { source, problems, pods } = startSource();
    await using _ = source;
    await until(() => pods() === '');
    await writeFile(join(root, 'new'), testManifest('web', 'app:1'));
    await rename(join(root, 'new'), join(folder, 'web.yaml'));
    await until(() => pods() === 'web-n app:1');
    await writeFile(join(folder, 'web.yaml'), testManifest('web', 'app:2'));
    await until(() => pods() === 'web-n app:2');
    await writeFile(join(folder, '.web.yaml.swp'), 'a: [');
    await writeFile(join(folder, 'other.yaml'), testManifest('other', 'app:1'));
    await until(() => pods() === 'other-n app:1, web-n app:2');
    await rm(join(folder, 'other.yaml'));
    await until(() => pods() === 'web-n app:2');
    expect(problems).toEqual([]);
  });

  it('takes the pod of a file away that is removed, also when it is written anew at once', async () => {
    const file = join(folder, 'web.yaml');
    await writeFile(file, testManifest('web', 'app:1'));
    const { source, pods } = startSource();
    await using _ = source;
    await until(() => pods() === 'web-n app:1');
    const seen: string[] = [];
    source.snapshots$.subscribe((snapshot) => seen.push(snapshot.map(({ metadata }) => metadata!.name!).join()));
    unlinkSync(file);
    writeFileSync(file, testManifest('web', 'app:1'));
    await until(() => seen.length === 3);
    expect(seen).toEqual(['web-n', '', 'web-n']);
  });

  it('takes a file that is replaced by a renamed one for one change', async () => {
    const file = join(folder, 'web.yaml');
    await writeFile(file, testManifest('web', 'app:1'));
    const { source, pods } = startSource();
    await using _ = source;
    await until(() => pods() === 'web-n app:1');
    const seen: (string | undefined)[] = [];
    source.snapshots$.subscribe(() => seen.push(pods()));
    for (const image of ['app:2', 'app:3']) {
      writeFileSync(join(root, 'new'), testManifest('web', image));
      renameSync(join(root, 'new'), file);
    }
    await until(() => pods() === 'web-n app:3');
    expect(seen).not.toContain('');
  });

  it('keeps the last good pod of a file that is broken, and takes the repaired one', async () => {
    const file = join(folder, 'web.yaml');
    await writeFile(file, testManifest('web', 'app:1'));
    const { source, problems, pods } = startSource();
    await using _ = source;
    await until(() => pods() === 'web-n app:1');
    await truncate(file);
    await until(() => problems.length === 1);
    await appendFile(file, testManifest('web', 'app:2'));
    await until(() => pods() === 'web-n app:2');
    expect(problems).toEqual([
      `${file}: is empty; write a Pod into it, or remove it; the pod of its last good version is kept`,
    ]);
  });

  it('removes the pods of a folder that disappears, and watches the one that takes its place', async () => {
    await writeFile(join(folder, 'web.yaml'), testManifest('web', 'app:1'));
    const { source, problems, pods } = startSource();
    await using _ = source;
    await until(() => pods() === 'web-n app:1');
    await rm(folder, { recursive: true });
    await until(() => pods() === '' && problems.length === 1);
    await mkdir(folder);
    await writeFile(join(folder, 'web.yaml'), testManifest('web', 'app:2'));
    await until(() => pods() === 'web-n app:2');
    await writeFile(join(folder, 'web.yaml'), testManifest('web', 'app:3'));
    await until(() => pods() === 'web-n app:3');
    expect(problems).toEqual([`${folder} does not exist and has no pods; create it, or correct the path`]);
  });

  it('sees it when a link further up is turned, as in a mounted config map', async () => {
    for (const version of ['1', '2']) {
      await mkdir(join(folder, `..${version}`));
      await writeFile(join(folder, `..${version}`, 'web.yaml'), testManifest('web', `app:${version}`));
    }
    await symlink('..1', join(folder, '..data'));
    await symlink('..data/web.yaml', join(folder, 'web.yaml'));
    const { source, pods } = startSource();
    await using _ = source;
    await until(() => pods() === 'web-n app:1');
    await symlink('..2', join(folder, '..new'));
    await rename(join(folder, '..new'), join(folder, '..data'));
    await until(() => pods() === 'web-n app:2');
  });

  it('skips pipes, folders, dangling links and files that are too large', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    await mkdir(join(folder, 'sub'));
    await symlink('nowhere', join(folder, 'dangling.yaml'));
    await writeFile(join(folder, 'large.yaml'), '');
    await truncate(join(folder, 'large.yaml'), MAX_MANIFEST_BYTES + 1);
    await writeFile(join(folder, 'web.yaml'), testManifest('web', 'app:1'));
    const { source, problems, pods } = startSource();
    await using _ = source;
    await until(() => pods() === 'web-n app:1');
    expect(problems.map((problem) => problem.slice(folder.length + 1)).sort()).toEqual([
      'dangling.yaml is a link to nothing and is skipped; repair or remove it',
      'large.yaml has 10485761 bytes, more than the 10485760 (10 MiB) of a manifest; shorten or remove it',
      'pipe.yaml is no regular file and is skipped; remove it',
      'sub is a folder and is skipped; put its manifests beside it',
    ]);
  });

  it('takes a single file, and follows it when it is replaced or removed', async () => {
    const file = join(root, 'pod.yaml');
    await writeFile(file, testManifest('web', 'app:1'));
    const { source, pods } = startSource(file);
    await using _ = source;
    await until(() => pods() === 'web-n app:1');
    await writeFile(join(root, 'new'), testManifest('web', 'app:2'));
    await rename(join(root, 'new'), file);
    await until(() => pods() === 'web-n app:2');
    await rm(file);
    await until(() => pods() === '');
    await writeFile(file, testManifest('web', 'app:3'));
    await until(() => pods() === 'web-n app:3');
  });

  it('restores the pod of a single file that was broken in between, and ends that of one that was removed', async () => {
    const file = join(root, 'pod.yaml');
    await writeFile(file, testManifest('web', 'app:1'));
    {
      const { source, pods } = startSource(file);
      await using _ = source;
      await until(() => pods() === 'web-n app:1');
    }
    await writeFile(file, '');
    {
      const { source, pods } = startSource(file);
      await using _ = source;
      await until(() => pods() === 'web-n app:1');
    }
    await rm(file);
    const { source, pods } = startSource(file);
    await using _ = source;
    await until(() => pods() === '');
  });
});
