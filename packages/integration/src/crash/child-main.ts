import { childIo } from './child-io.js';
import { findCrashTest } from './crash-tests.js';

/** The child processes of the crash tests start here: test, role, settings. */
const [testName = '', roleName = '', settings = 'null'] = process.argv.slice(2);
const role = findCrashTest(testName)?.roles[roleName];
if (!role) throw new Error(`Expected a role of a crash test, got ${testName} ${roleName}`);
await role(childIo(JSON.parse(settings)));
// What was told may still be on its way to the parent; the line is closed behind it.
process.removeAllListeners('disconnect');
process.disconnect();
