// simdjson is C++: only CSimdJSON includes its header. This module exists so that the library is found and linked.
#pragma once
