import { expect, it } from 'vitest';
import { defaultRouteInterface } from './default-route.ts';

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
