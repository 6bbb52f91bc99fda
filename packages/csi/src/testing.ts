export { createDiskMounts } from './testing/disk-mounts.ts';
export { createTestDriver, type DriverMounts, type TestDriver, type TestDriverOptions } from './testing/test-driver.ts';
