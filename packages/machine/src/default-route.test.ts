import { expect, it } from 'vitest';
import { defaultRouteInterface, defaultRouteInterfaceV6 } from './default-route.ts';

const HEADER = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
const route = (name: string, destination: string, metric: number, mask = '00000000'): string =>
  `${name}\t${destination}\t010200C0\t0003\t0\t0\t${String(metric)}\t${mask}\t0\t0\t0\n`;

it('finds the interface of the default route with the lowest metric', () => {
  const bridge = route('docker0', '000011AC', 0, '0000FFFF');
  expect(
    defaultRouteInterface(HEADER + bridge + route('wlan0', '00000000', 600) + route('eth0', '00000000', 100)),
  ).toBe('eth0');
  expect(defaultRouteInterface(HEADER + bridge)).toBeUndefined();
  expect(defaultRouteInterface(HEADER)).toBeUndefined();
  expect(defaultRouteInterface('')).toBeUndefined();
});

it('finds the interface of the IPv6 default route', () => {
  const any = '0'.repeat(32);
  const routeV6 = (name: string, destination: string, prefix: string, metric: string, flags: string): string =>
    `${destination} ${prefix} ${any} 00 fe80000000000000000000000000000a ${metric} 00000001 00000000 ${flags}    ${name}\n`;
  const local = routeV6('lo', any, '00', 'ffffffff', '00200200');
  const bridge = routeV6('docker0', 'fd000000000000000000000000000000', '40', '00000100', '00000001');
  const routes =
    routeV6('wlan0', any, '00', '00000400', '00000003') + routeV6('eth0', any, '00', '00000100', '00000003');
  expect(defaultRouteInterfaceV6(local + bridge + routes)).toBe('eth0');
  expect(defaultRouteInterfaceV6(local + bridge)).toBeUndefined();
  expect(defaultRouteInterfaceV6('')).toBeUndefined();
});
