/**
 * The interface of the IPv4 default route with the lowest metric, from the text of `/proc/net/route`: the one by which others most likely see this
 * machine, whatever bridges there are besides it.
 */
export function defaultRouteInterface(procNetRoute: string): string | undefined {
  const [, ...rows] = procNetRoute.split('\n').map((line) => line.trim().split(/\s+/));
  const [best] = rows
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')
    .toSorted((left, right) => Number(left[6]) - Number(right[6]));
  return best?.[0];
}
