// Ends an unsupported Node.js with one clear line, before it reads a module that it cannot parse.
// Loaded by --require. Plain old JavaScript, because it has to run on the versions that it rejects.
var REQUIRED_MAJOR = 24;

if (parseInt(process.versions.node, 10) < REQUIRED_MAJOR) {
  require('fs').writeSync(
    2,
    'rxlet-fleet: cannot start on Node.js ' +
      process.versions.node +
      ' (' +
      process.execPath +
      '): ' +
      'Node.js ' +
      REQUIRED_MAJOR +
      ' or later is required; ' +
      'put it first in PATH, or install the npm package "node@' +
      REQUIRED_MAJOR +
      '" next to rxlet-fleet\n',
  );
  process.exit(1);
}
