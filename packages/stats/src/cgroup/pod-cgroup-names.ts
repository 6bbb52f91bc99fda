/** Returns the UID of the pod that a cgroup's name belongs to, of either cgroup driver; `undefined` for other cgroups. */
export function podUidOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const slice = /(?:^|-)pod([^-]+)\.slice$/.exec(name)?.[1];
  if (slice !== undefined) return slice.replaceAll('_', '-');
  return name.endsWith('.slice') ? undefined : /^pod(.+)$/.exec(name)?.[1];
}

/** Returns the id of the container or sandbox that a cgroup in that of a pod belongs to: `<id>` or `<runtime>-<id>.scope`. */
export function containerIdOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.endsWith('.scope') ? name.slice(name.lastIndexOf('-') + 1, -'.scope'.length) : name;
}
