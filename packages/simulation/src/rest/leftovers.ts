import { PodLabel } from '@rxlet/pod-model';
import type { TestNode } from '@rxlet/testing';

/** Returns what is left on a node of pods other than those of `uids`. */
export async function leftovers(bench: TestNode, uids: ReadonlySet<string>): Promise<readonly string[]> {
  const problems: string[] = [];
  const { sandboxes, containers } = bench.fake.snapshot();
  for (const { labels, id } of [...sandboxes, ...containers])
    if (!uids.has(labels[PodLabel.podUid] ?? '')) problems.push(`${id} of ${labels[PodLabel.podUid] ?? ''} is left`);
  for (const name of await bench.files.nodeFiles.list('/root/pods'))
    if (!uids.has(name)) problems.push(`the directory of ${name} is left`);
  for (const target of bench.mounter.targets)
    if (!uids.has(target.split('/')[3] ?? '')) problems.push(`the mount ${target} is left`);
  for (const path of bench.cgroups.paths()) {
    const uid = /-pod([^/-]+)\.slice$/.exec(path)?.[1]?.replaceAll('_', '-');
    if (uid !== undefined && !uids.has(uid)) problems.push(`the cgroup of ${uid} is left`);
  }
  for (const name of await bench.files.nodeFiles.list('/logs'))
    if (!uids.has(name.split('_').at(-1) ?? '')) problems.push(`logs ${name} are left`);
  return problems;
}
