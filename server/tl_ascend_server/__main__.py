"""`python -m tl_ascend_server`."""

import sys

from tl_ascend_server.main import main

sys.exit(main())
