/** Gateway flag of a route in the kernel's tables. */
const RTF_GATEWAY = 0x2;
const ANY_V6 = '0'.repeat(32);

/**
 * Returns the interface of the IPv4 default route with the lowest metric, from the text of `/proc/net/route`. Its address is the one by which other machines
 * most likely reach this one, whatever bridges there are.
 */
export function defaultRouteInterface(procNetRoute: string): string | undefined {
  const [, ...rows] = rowsOf(procNetRoute);
  const [best] = rows
    .filter(([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000')
    .toSorted((left, right) => Number(left[6]) - Number(right[6]));
  return best?.[0];
}

/** Returns the interface of the IPv6 default route with the lowest metric, from the text of `/proc/net/ipv6_route`. */
export function defaultRouteInterfaceV6(procNetIpv6Route: string): string | undefined {
  const [best] = rowsOf(procNetIpv6Route)
    .filter(
      ([destination, prefix, , , , , , , flags, name]) =>
        destination === ANY_V6 &&
        prefix === '00' &&
        (parseInt(flags ?? '', 16) & RTF_GATEWAY) !== 0 &&
        name !== undefined &&
        name !== 'lo',
    )
    .toSorted((left, right) => parseInt(left[5]!, 16) - parseInt(right[5]!, 16));
  return best?.[9];
}

function rowsOf(table: string): string[][] {
  return table.split('\n').map((line) => line.trim().split(/\s+/));
}
