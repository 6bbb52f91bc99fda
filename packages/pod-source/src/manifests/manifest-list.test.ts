import { expect, it } from 'vitest';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFileSource } from '../file-source.ts';
import { testManifest } from '../test-manifest.ts';
import { createTestFolder } from '../test-support.ts';

it('lists the files of a folder with those that are refused or kept, and why', async () => {
  const clock = createVirtualClock();
  const folder = createTestFolder();
  await using source = createFileSource(
    { clock, hostFiles: folder.hostFiles },
    { path: '/manifests', nodeName: 'node1', documents: true },
  );
  const states = (): string[] =>
    source
      .manifests()
      .items.map(({ path, state, pod, objects, problems }) =>
        [path.slice(11), state, pod?.name ?? '-', objects.map(({ name }) => name).join() || '-', problems.length].join(
          ' ',
        ),
      );
  folder.write('a.yaml', `${testManifest('one')}---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n`);
  folder.write('b.yaml', 'apiVersion: v1\nkind: Service\nmetadata: {name: x}\n');
  folder.write('c.yaml', testManifest('three'));
  source.start();
  await clock.advance(200);
  folder.write('c.yaml', 'apiVersion: [');
  await clock.advance(200);
  expect(states()).toEqual(['a.yaml Accepted one-node1 s 0', 'b.yaml Refused - - 1', 'c.yaml Kept three-node1 - 1']);
  const { items, ...list } = source.manifests();
  expect(list).toEqual({
    apiVersion: 'rxlet.dev/v1',
    kind: 'ManifestList',
    path: '/manifests',
    isSingleFile: false,
    hasDocuments: true,
    problems: [],
  });
  expect(items[1]?.problems[0]).toEqual({
    reason: 'InvalidManifest',
    message: expect.stringContaining('/manifests/b.yaml: holds a v1 Service') as string,
  });
});
