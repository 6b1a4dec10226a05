import { childIo } from './child-io.js';
import { CLOCKS } from './child-message.js';
import { findCrashTest } from './crash-tests.js';
import { readClocks } from './host-time.js';

/** The child processes of the crash tests start here: test, role, settings. */
const [testName = '', roleName = '', settings = 'null'] = process.argv.slice(2);
const role = findCrashTest(testName)?.roles[roleName];
if (!role) throw new Error(`Expected a role of a crash test, got ${testName} ${roleName}`);
const io = childIo(JSON.parse(settings));
io.tell(CLOCKS, { ...readClocks() });
await role(io);
// What was told may still be on its way to the parent; the line is closed behind it.
process.removeAllListeners('disconnect');
process.disconnect();
