import type { PluginHandler } from '@rxlet/agent-api/plugins';
import { type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import { PluginCallError } from '@rxlet/node-plugins';
import type { ReportedHealth } from '../health/device-health.ts';
import { type ConnectDraPlugin, type DraPlugin, measuredPlugin } from './dra-plugin.ts';
import { chooseService } from './plugin-service.ts';

/** Ports of {@link createPluginRegistry}. */
export interface PluginRegistryPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly connect: ConnectDraPlugin;
  /** Called when the first plugin of a driver is connected, and when the last one no longer is. Also called when a plugin registers that is not connected yet. */
  usabilityChanged(driver: string, isUsable: boolean): void;
  /** Called with each report of the health of devices; absent when health is not watched. */
  readonly healthReported?: ((driver: string, devices: readonly ReportedHealth[]) => void) | undefined;
  /** Called when no plugin of a driver reports health any more. */
  healthEnded(driver: string): void;
  /** Called after each call that prepares or unprepares claims. */
  called(driver: string, methodName: string, statusCode: string, durationMs: number): void;
}

/** Plugins of DRA drivers, which register with the type `DRAPlugin`. Several instances of a driver may be registered, for a rolling update. */
export interface DraPluginRegistry extends AsyncDisposable {
  readonly handler: PluginHandler;
  /**
   * Returns the plugin of a driver: the newest that is connected, or the newest.
   *
   * @throws Error with the kubelet's message when the driver is not registered
   */
  find(driver: string): DraPlugin;
  /** Returns the state for people. */
  inspect(): unknown;
}

interface Instance {
  readonly endpoint: string;
  readonly service: string;
  readonly plugin: DraPlugin;
  readonly life: AbortController;
  isConnected: boolean;
  reportsHealth: boolean;
}

/** Bound for instances of all drivers. */
const MAX_INSTANCES = 256;
/** Pause before a stream of health is opened again, and before a plugin is asked again that has none. */
const HEALTH_RETRY_MS = 5_000;
const NO_HEALTH_RETRY_MS = 60_000;

/** Creates a {@link DraPluginRegistry}. */
export function createPluginRegistry(ports: PluginRegistryPorts): DraPluginRegistry {
  const { clock, logger } = ports;
  const lifetime = createLifetime();
  /** Instances by driver, in the order of their registration. */
  const drivers = new Map<string, Instance[]>();
  const instancesOf = (driver: string): readonly Instance[] => drivers.get(driver) ?? [];
  const isUsable = (driver: string): boolean => instancesOf(driver).some(({ isConnected }) => isConnected);

  const endHealth = (driver: string, instance: Instance): void => {
    // The health is kept over a restart of the agent.
    if (!instance.reportsHealth || lifetime.signal.aborted) return;
    instance.reportsHealth = false;
    if (!instancesOf(driver).some(({ reportsHealth }) => reportsHealth)) ports.healthEnded(driver);
  };
  const followHealth = async (driver: string, instance: Instance): Promise<void> => {
    const { life, plugin } = instance;
    while (!life.signal.aborted) {
      let pauseMs = HEALTH_RETRY_MS;
      try {
        await plugin.watchHealth((devices) => {
          if (life.signal.aborted) return;
          instance.reportsHealth = true;
          ports.healthReported?.(driver, devices);
        }, life.signal);
      } catch (error) {
        // The service is optional.
        if (error instanceof PluginCallError && error.code === 'Unimplemented') pauseMs = NO_HEALTH_RETRY_MS;
        else if (instance.reportsHealth)
          logger.warn('the stream of device health has ended', { driver, error: errorMessage(error) });
      }
      endHealth(driver, instance);
      await sleep(clock, pauseMs, life.signal).catch(() => undefined);
    }
  };
  const close = ({ life, plugin }: Instance): void => {
    life.abort(new Error('the connection to the DRA plugin is closed'));
    plugin[Symbol.dispose]();
  };

  const register: PluginHandler['register'] = async ({ name: driver, endpoint, versions }) => {
    lifetime.signal.throwIfAborted();
    const service = chooseService(driver, endpoint, versions);
    const instances = instancesOf(driver);
    if (instances.some((one) => one.endpoint === endpoint))
      throw new Error(`endpoint ${endpoint} already registered for DRA driver plugin ${driver}`);
    if ([...drivers.values()].flat().length >= MAX_INSTANCES)
      throw new Error(`too many DRA plugins are registered: at most ${String(MAX_INSTANCES)} are possible`);
    const plugin = measuredPlugin(ports.connect(endpoint, service), clock, service, (...call) =>
      ports.called(driver, ...call),
    );
    const instance: Instance = {
      endpoint,
      service,
      plugin,
      life: new AbortController(),
      isConnected: false,
      reportsHealth: false,
    };
    drivers.set(driver, [...instances, instance]);
    ports.usabilityChanged(driver, isUsable(driver));
    plugin.keepOpen((isOpen) => {
      if (instance.life.signal.aborted) return;
      instance.isConnected = isOpen;
      logger.info(isOpen ? 'a DRA plugin is connected' : 'the connection to a DRA plugin is lost', {
        driver,
        endpoint,
      });
      ports.usabilityChanged(driver, isUsable(driver));
    });
    if (ports.healthReported !== undefined) void lifetime.track(followHealth(driver, instance));
  };

  return {
    handler: {
      type: 'DRAPlugin',
      register,
      deregister({ name: driver, endpoint }) {
        const removed = instancesOf(driver).find((one) => one.endpoint === endpoint);
        if (removed === undefined) return;
        const left = instancesOf(driver).filter((one) => one !== removed);
        if (left.length === 0) drivers.delete(driver);
        else drivers.set(driver, left);
        endHealth(driver, removed);
        close(removed);
        ports.usabilityChanged(driver, isUsable(driver));
      },
    },
    find(driver) {
      if (driver === '') throw new Error('DRA driver name is empty');
      const instances = instancesOf(driver);
      const found = instances.findLast(({ isConnected }) => isConnected) ?? instances.at(-1);
      if (found === undefined) throw new Error(`DRA driver ${driver} is not registered`);
      return found.plugin;
    },
    inspect: () =>
      Object.fromEntries(
        [...drivers].map(([driver, instances]) => [
          driver,
          instances.map(({ endpoint, service, isConnected, reportsHealth }) => ({
            ...{ endpoint, service, isConnected, reportsHealth },
          })),
        ]),
      ),
    async [Symbol.asyncDispose]() {
      const disposal = lifetime[Symbol.asyncDispose]();
      for (const instance of [...drivers.values()].flat()) close(instance);
      drivers.clear();
      await disposal;
    },
  };
}
