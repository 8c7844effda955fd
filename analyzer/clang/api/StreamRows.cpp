// The streams of the C++ library. What its headers compute themselves is found in the sources (`endl`, and
// the constructors of streams of files); these are the functions that the library keeps to itself, and those
// of the headers that call such ones by a table.
#include "analyzer/clang/api/ApiRows.h"

namespace rdma::clang_ir {
namespace {

using enum Api;

constexpr ApiRow Rows[] = {
    // Text and numbers out: the stream is what is returned.
    {"_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l", SendsFile, 1, -1, 2, 0,
     0},
    {"_ZNSo5writeEPKcl", SendsFile, 1, -1, 2, 0, 0},
    {"_ZNSo3putEc", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo5flushEv", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSolsEi", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSolsEs", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertIlEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertImEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertIxEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertIyEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertIbEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertIdEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertIeEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo9_M_insertIPKvEERSoT_", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo5seekpESt4fposI11__mbstate_tE", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo5seekpElSt12_Ios_Seekdir", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSo5tellpEv", SendsFile},
    // Text and numbers in.
    {"_ZNSi4readEPcl", ReceivesFile, -1, 1, 2, 0, 0},
    {"_ZNSi7getlineEPclc", ReceivesFile, -1, 1, 2, 0, 0},
    {"_ZNSi3getERc", ReceivesFile, -1, 1, -1, 1, 0},
    {"_ZNSi3getEv", ReceivesFile},
    {"_ZNSi4peekEv", ReceivesFile},
    {"_ZNSi5ungetEv", ReceivesFile, -1, -1, -1, 0, 0},
    {"_ZNSi6ignoreEl", ReceivesFile, -1, -1, -1, 0, 0},
    {"_ZNSi6ignoreEli", ReceivesFile, -1, -1, -1, 0, 0},
    {"_ZNSi6ignoreEv", ReceivesFile, -1, -1, -1, 0, 0},
    {"_ZNSi5seekgESt4fposI11__mbstate_tE", ReceivesFile, -1, -1, -1, 0, 0},
    {"_ZNSi5seekgElSt12_Ios_Seekdir", ReceivesFile, -1, -1, -1, 0, 0},
    {"_ZNSi5tellgEv", ReceivesFile},
    {"_ZNSirsERi", ReceivesFile, -1, 1, -1, 4, 0},
    {"_ZNSirsERs", ReceivesFile, -1, 1, -1, 2, 0},
    {"_ZNSi10_M_extractIlEERSiRT_", ReceivesFile, -1, 1, -1, 8, 0},
    {"_ZNSi10_M_extractImEERSiRT_", ReceivesFile, -1, 1, -1, 8, 0},
    {"_ZNSi10_M_extractIxEERSiRT_", ReceivesFile, -1, 1, -1, 8, 0},
    {"_ZNSi10_M_extractIyEERSiRT_", ReceivesFile, -1, 1, -1, 8, 0},
    {"_ZNSi10_M_extractIjEERSiRT_", ReceivesFile, -1, 1, -1, 4, 0},
    {"_ZNSi10_M_extractItEERSiRT_", ReceivesFile, -1, 1, -1, 2, 0},
    {"_ZNSi10_M_extractIbEERSiRT_", ReceivesFile, -1, 1, -1, 1, 0},
    {"_ZNSi10_M_extractIdEERSiRT_", ReceivesFile, -1, 1, -1, 8, 0},
    {"_ZNSi10_M_extractIfEERSiRT_", ReceivesFile, -1, 1, -1, 4, 0},
    {"_ZNSi10_M_extractIeEERSiRT_", ReceivesFile, -1, 1, -1, 16, 0},
    // A string is filled, in its own characters or in new ones.
    {"_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_"
     "EES4_",
     ReceivesFile, -1, 1, -1, 32, 0},
    {"_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE",
     ReceivesFile, -1, 1, -1, 32, 0},
    // Files are opened and closed.
    {"_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev", Memory, -1, 0, -1, 240},
    {"_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode", SendsFile, 1, -1, -1, 0, 0},
    {"_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv", SendsFile, -1, -1, -1, 0, 0},
    {"_ZNSt12__basic_fileIcED1Ev", SendsFile, -1, 0, -1, 16},
    {"_ZNKSt12__basic_fileIcE7is_openEv", Memory, 0, -1, -1, 16},
    // What every stream has: its state, and how numbers are written.
    {"_ZNSt8ios_baseC2Ev", Memory, -1, 0, -1, 216},
    {"_ZNSt8ios_baseD2Ev", Memory, 0, 0, -1, 216},
    {"_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E", Memory, -1, 0, -1, 264},
    {"_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate", Memory, 0, 0, -1, 264},
    {"_ZNSt6localeC1Ev", Memory, -1, 0, -1, 8},
    {"_ZNSt6localeC1ERKS_", Memory, 1, 0, -1, 8},
    {"_ZNSt6localeD1Ev", Memory, 0, 0, -1, 8},
    {"_ZNKSt5ctypeIcE5widenEc", Nothing},
    // The headers define these, and call the buffer's own functions.
    {"_ZNSt15basic_streambufIcSt11char_traitsIcEE5sputcEc", SendsFile},
    {"_ZNSt15basic_streambufIcSt11char_traitsIcEE5sputnEPKcl", SendsFile, 1, -1, 2},
    {"_ZNSt15basic_streambufIcSt11char_traitsIcEE7pubsyncEv", SendsFile},
    {"_ZNSt15basic_streambufIcSt11char_traitsIcEE5sgetcEv", ReceivesFile},
    {"_ZNSt15basic_streambufIcSt11char_traitsIcEE6sbumpcEv", ReceivesFile},
    {"_ZNSt15basic_streambufIcSt11char_traitsIcEE6snextcEv", ReceivesFile},
    {"_ZNSt15basic_streambufIcSt11char_traitsIcEE5sgetnEPcl", ReceivesFile, -1, 1, 2},
};

} // namespace

std::span<const ApiRow> rowsOfStreams() { return Rows; }

} // namespace rdma::clang_ir
