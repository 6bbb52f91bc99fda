export { csi, type CsiOptions } from './csi-module.ts';
export { createDriverRegistry, type DriverRegistry, type DriverRegistryPorts } from './drivers/driver-registry.ts';
